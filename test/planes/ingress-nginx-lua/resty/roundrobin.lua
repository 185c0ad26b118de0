-- In place of resty.roundrobin of lua-resty-balancer: every node in turn. Weights are all 1 in ingress-nginx.
local _M = {}
local mt = { __index = _M }

function _M.new(_, nodes)
  local self = setmetatable({ at = 0 }, mt)
  self:reinit(nodes)
  return self
end

function _M.reinit(self, nodes)
  self.nodes = nodes
  self.ids = {}
  for id in pairs(nodes) do
    table.insert(self.ids, id)
  end
end

function _M.find(self)
  self.at = self.at % #self.ids + 1
  return self.ids[self.at]
end

return _M
