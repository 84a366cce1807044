// The page's own words; what the bots say comes from the gateway's catalogue.

/** What each button sends; the demo's script knows these phrases. */
export const FAULTS = {
  refuse: "Tell me something you must refuse",
  filter: "Trip the safety filter",
  steps: "Take too many steps",
  length: "Write more than fits",
  cut: "Lose the line half-way",
  busy: "Be too busy",
  empty: "Say nothing",
  slow: "Take for ever",
  money: "Run out of money",
  crash: "Crash, please",
  story: "Tell me the story",
};

export const LANGUAGES = { en: "English", de: "Deutsch", ar: "العربية", ja: "日本語" };

const WORDS = {
  en: {
    direction: "ltr",
    lead: "Two bots, one agent, the same message. Break it, and see which one tells you.",
    "language-label": "Language",
    placeholder: "Write to both",
    send: "Send",
    kill: "Kill the gateway",
    everything: "Break everything",
    running: "Breaking… {ended} of {all} explained so far.",
    score: "{all} messages, {ended} endings explained, {silent} silent.",
    "yours-title": "Now with a real bot",
    "yours-lead": "Put a token and an agent into bots.yaml, then run it. The bot tells you a code that makes it yours.",
    faults: {
      refuse: "Refuse", filter: "Safety filter", steps: "Step limit", length: "Too long", cut: "Cut the line",
      busy: "Too busy", empty: "Say nothing", slow: "Take for ever", money: "Out of money", crash: "Crash",
    },
  },
  de: {
    direction: "ltr",
    lead: "Zwei Bots, ein Agent, dieselbe Nachricht. Was passiert, wenn es schiefgeht – und wer sagt es?",
    "language-label": "Sprache",
    placeholder: "An beide schreiben",
    send: "Senden",
    kill: "Gateway abschießen",
    everything: "Alles kaputt machen",
    running: "Läuft … {ended} von {all} bisher erklärt.",
    score: "{all} Nachrichten, {ended} erklärte Enden, {silent} stumm.",
    "yours-title": "Jetzt mit einem echten Bot",
    "yours-lead": "Token und Agent in bots.yaml eintragen und starten. Ein Code macht den Bot zum eigenen.",
    faults: {
      refuse: "Ablehnen", filter: "Sicherheitsfilter", steps: "Schrittgrenze", length: "Zu lang", cut: "Leitung kappen",
      busy: "Überlastet", empty: "Nichts sagen", slow: "Ewig brauchen", money: "Kein Geld", crash: "Absturz",
    },
  },
  ar: {
    direction: "rtl",
    lead: "روبوتان ووكيل واحد والرسالة نفسها. ماذا يحدث عند العطل، وأيهما يخبرك؟",
    "language-label": "اللغة",
    placeholder: "الكتابة إلى كليهما",
    send: "إرسال",
    kill: "قتل البوابة",
    everything: "تعطيل كل شيء",
    running: "جارٍ… شُرح {ended} من {all} حتى الآن.",
    score: "{all} رسائل، {ended} نهايات مشروحة، {silent} صامتة.",
    "yours-title": "والآن مع روبوت حقيقي",
    "yours-lead": "يكفي وضع الرمز والوكيل في bots.yaml ثم التشغيل. رمز خاص يجعل الروبوت ملكًا لصاحبه.",
    faults: {
      refuse: "رفض", filter: "مرشح الأمان", steps: "حد الخطوات", length: "طويل جدًا", cut: "قطع الخط",
      busy: "مشغول جدًا", empty: "لا يقول شيئًا", slow: "بلا نهاية", money: "نفاد المال", crash: "انهيار",
    },
  },
  ja: {
    direction: "ltr",
    lead: "二つのボット、一つのエージェント、同じメッセージ。壊れたとき、教えてくれるのはどちらでしょう。",
    "language-label": "言語",
    placeholder: "両方に書く",
    send: "送信",
    kill: "ゲートウェイを強制終了",
    everything: "すべて壊す",
    running: "実行中… {all}件中{ended}件を説明しました。",
    score: "メッセージ{all}件、説明された終わり{ended}件、無言{silent}件。",
    "yours-title": "本物のボットで試す",
    "yours-lead": "トークンとエージェントを bots.yaml に書いて起動します。表示されるコードでボットの持ち主になります。",
    faults: {
      refuse: "拒否", filter: "安全フィルター", steps: "手順の上限", length: "長すぎる", cut: "回線切断",
      busy: "混雑", empty: "無言", slow: "終わらない", money: "残高切れ", crash: "クラッシュ",
    },
  },
};

export const wordsFor = (tag) => WORDS[tag] ?? WORDS.en;
