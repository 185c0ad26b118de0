-- Health of a Canary of Serin, for resource.customizations.health.flagger.app_Canary of argocd-cm. Argo CD opens no libraries for it but the base,
-- table and a part of os, so that nothing here needs string or math. Any field of the status can be missing, or be of another controller.

-- Codes of a spec or target that nothing is done with until someone corrects it.
local refusals = {
  InvalidSpec = true, UnsupportedByProvider = true, CrossNamespaceRef = true, EndpointsWouldBeLost = true, PolicyWouldBeLost = true,
  TargetTaken = true, TargetNotFound = true, TargetUnusable = true, ForeignController = true, CRDOutdated = true,
}
-- Codes that end by themselves.
local passing = { TargetUnobserved = true, PodsStarting = true }
-- Codes of a release that a person holds.
local holding = { GateClosed = true, Paused = true, Suspended = true }
local resting = { Initialized = true, Succeeded = true }
local waiting = { Waiting = true, WaitingPromotion = true }

local function asTable(value)
  if type(value) == "table" then return value end
  return {}
end

local function asText(value)
  if type(value) == "string" then return value end
  return ""
end

local function startsWith(text, start)
  return start ~= "" and start <= text and text < start .. "\127"
end

local spec, status, metadata = asTable(obj.spec), asTable(obj.status), asTable(obj.metadata)
local release = asTable(status.release)
local phase, reason = asText(status.phase), asText(status.reason)

local function conditionOf(kind)
  for _, one in ipairs(asTable(status.conditions)) do
    if asTable(one).type == kind then return one end
  end
  return {}
end

local promoted, accepted = conditionOf("Promoted"), conditionOf("Accepted")
local isRefused = accepted.status == "False"
local blocker = asText(asTable(asTable(release.blockers)[1]).code)
local code = reason
if isRefused then code = asText(accepted.reason) elseif blocker ~= "" then code = blocker end

-- The sentence of `serin status`.
local function sentence()
  local text = asText(promoted.message)
  if isRefused and asText(accepted.message) ~= "" then text = accepted.message end
  if phase == "" or startsWith(text, phase) then return text end
  local head = phase
  if reason ~= "" and reason ~= phase then head = phase .. ", " .. reason end
  if text == "" then return head end
  return head .. ": " .. text
end

-- The answer to the last request, while its author can still look for it.
local function refusedRequest()
  local requests = asTable(release.requests)
  local last = asTable(requests[#requests])
  if last.outcome ~= "refused" then return "" end
  local atMs = tonumber(last.atMs) or 0
  if require("os").time() - atMs / 1000 > 3600 then return "" end
  return " The last request (" .. asText(last.verb) .. ") was refused: " .. asText(last.reason) .. "."
end

local function health(kind, text)
  if text == nil or text == "" then text = sentence() end
  return { status = kind, message = text .. refusedRequest() }
end

if metadata.deletionTimestamp ~= nil or phase == "Terminating" or phase == "Terminated" then return health("Progressing") end
if asTable(metadata.annotations)["serin.dev/left-to-another-controller"] ~= nil then
  return health("Suspended", "Left to another controller, which writes the status.")
end
if isRefused or refusals[code] then return health("Degraded") end
if phase == "Failed" then return health("Degraded") end
if spec.suspend == true then
  if phase == "" then return health("Suspended", "Suspended by spec.suspend.") end
  return health("Suspended")
end
if phase == "" then return health("Progressing", "No controller has written a status yet.") end
-- Written only where the conditions for kstatus are switched on.
local seen, generation = tonumber(status.observedGeneration), tonumber(metadata.generation)
if seen ~= nil and generation ~= nil and seen < generation then
  return health("Progressing", "The last edit of the spec is not in the status yet.")
end
if release.paused ~= nil or holding[code] or waiting[phase] then return health("Suspended") end
if resting[phase] then
  if code ~= "" and not passing[code] then return health("Degraded") end
  return health("Healthy")
end
return health("Progressing")
