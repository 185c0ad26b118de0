-- Requests a verb of Serin: VERB. Argo CD does not tell who has clicked. With the admission policy of Serin the name has to be that of the user that writes.
local os = require("os")
local requester = "Argo CD"
if obj.metadata.annotations == nil then obj.metadata.annotations = {} end
obj.metadata.annotations["serin.dev/request"] =
  "VERB argocd-VERB-" .. os.time() .. " " .. os.date("!%Y-%m-%dT%H:%M:%SZ") .. " " .. requester
return obj
