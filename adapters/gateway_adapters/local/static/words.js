// The page's own words; what the bot says comes from the gateway in the person's language.

const words = {
  en: {
    name: "English",
    direction: "ltr",
    placeholder: "Write a message",
    send: "Send",
    stop: "Stop",
    stopping: "Stopping…",
    reconnecting: "Connection lost. Reconnecting…",
    you: "You",
    empty: "Write something to begin.",
    waiting: "Not sent yet",
    refused: "This message could not be sent.",
    tooLong: "Too long: shorten it by {n} characters, or send it in parts.",
    language: "Language",
    newest: "Go to the newest message",
    writing: "Writing…",
    messages: "Messages",
  },
  de: {
    name: "Deutsch",
    direction: "ltr",
    placeholder: "Nachricht schreiben",
    send: "Senden",
    stop: "Stopp",
    stopping: "Wird gestoppt …",
    reconnecting: "Verbindung unterbrochen. Sie wird neu aufgebaut …",
    you: "Ich",
    empty: "Zum Anfangen etwas schreiben.",
    waiting: "Noch nicht gesendet",
    refused: "Diese Nachricht konnte nicht gesendet werden.",
    tooLong: "Zu lang: bitte um {n} Zeichen kürzen oder in Teilen senden.",
    language: "Sprache",
    newest: "Zur neuesten Nachricht",
    writing: "Schreibt …",
    messages: "Nachrichten",
  },
  ar: {
    name: "العربية",
    direction: "rtl",
    placeholder: "كتابة رسالة",
    send: "إرسال",
    stop: "إيقاف",
    stopping: "جارٍ الإيقاف…",
    reconnecting: "انقطع الاتصال. جارٍ إعادة الاتصال…",
    you: "أنا",
    empty: "للبدء تكفي كتابة أي شيء.",
    waiting: "لم تُرسل بعد",
    refused: "تعذّر إرسال هذه الرسالة.",
    tooLong: "النص أطول من اللازم: يجب تقصيره بعدد {n} من الأحرف أو إرساله على أجزاء.",
    language: "اللغة",
    newest: "إلى أحدث رسالة",
    writing: "جارٍ الكتابة…",
    messages: "الرسائل",
  },
  ja: {
    name: "日本語",
    direction: "ltr",
    placeholder: "メッセージを書く",
    send: "送信",
    stop: "停止",
    stopping: "停止しています…",
    reconnecting: "接続が切れました。再接続しています…",
    you: "自分",
    empty: "何か書いて始めましょう。",
    waiting: "まだ送信されていません",
    refused: "このメッセージは送信できませんでした。",
    tooLong: "長すぎます。{n} 文字減らすか、分けて送信してください。",
    language: "言語",
    newest: "最新のメッセージへ",
    writing: "入力中…",
    messages: "メッセージ",
  },
};

/** The page's words for a language tag; English where there are none. */
export function wordsFor(tag) {
  return words[tag.toLowerCase().split("-")[0]] ?? words.en;
}

/** Tags and names to choose from, the given one among them even where the page itself has no words for it. */
export function choices(tag) {
  const known = Object.entries(words).map(([code, { name }]) => [code, name]);
  if (wordsFor(tag) !== words.en || tag.toLowerCase().startsWith("en")) return known;
  return [[tag, ownName(tag)], ...known];
}

/** The tag as the choice that stands for it. */
export function chosen(tag) {
  const primary = tag.toLowerCase().split("-")[0];
  return primary in words ? primary : tag;
}

function ownName(tag) {
  try {
    return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
