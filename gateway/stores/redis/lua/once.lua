if answered then return answered end
