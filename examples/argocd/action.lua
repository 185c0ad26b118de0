-- Requests a verb of Serin: VERB. Argo CD does not tell who has clicked. With the admission policy of Serin the name has to be that of the user that writes.
local os = require("os")
local requester = "Argo CD"
if not possible.VERB then
  error("the Canary is in no state for VERB, or has another request without an answer: serin status " .. metadata.name .. " says more", 0)
end
if type(obj.metadata.annotations) ~= "table" then obj.metadata.annotations = {} end
obj.metadata.annotations["serin.dev/request"] =
  "VERB argocd-VERB-" .. os.time() .. " " .. os.date("!%Y-%m-%dT%H:%M:%SZ") .. " " .. requester
return obj
