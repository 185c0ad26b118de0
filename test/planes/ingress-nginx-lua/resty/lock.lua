-- In place of resty.lock: the EWMA balancer makes one when it is loaded.
return { new = function() return {} end }
