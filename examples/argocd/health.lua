-- Health of a Canary in Argo CD. It runs without the libraries of Lua. Any field of the status can be missing, or be of another controller.
local function asTable(value)
  return type(value) == "table" and value or {}
end
local function asText(value)
  return type(value) == "string" and value or ""
end

-- Codes of a spec or target that nothing is done with until someone corrects it.
local refusals = {
  InvalidSpec = true, UnsupportedByProvider = true, CrossNamespaceRef = true, EndpointsWouldBeLost = true, PolicyWouldBeLost = true,
  TargetTaken = true, TargetNotFound = true, TargetUnusable = true, ForeignController = true, CRDOutdated = true,
}
-- Codes that end by themselves.
local passing = { TargetUnobserved = true, PodsStarting = true }
-- Codes of a release that a person holds.
local holding = { GateClosed = true, Paused = true, Suspended = true }

local metadata = asTable(obj.metadata)
local spec = asTable(obj.spec)
local status = asTable(obj.status)
local release = asTable(status.release)
local phase = asText(status.phase)
local code = asText(status.reason)

-- The answer to the last request, for an hour.
local function refusedRequest()
  local requests = asTable(release.requests)
  local last = asTable(requests[#requests])
  if last.outcome ~= "refused" then return "" end
  if require("os").time() - (tonumber(last.atMs) or 0) / 1000 > 3600 then return "" end
  return " The last request (" .. asText(last.verb) .. ") was refused: " .. asText(last.reason) .. "."
end
local function health(kind, message)
  return { status = kind, message = message .. refusedRequest() }
end

if metadata.deletionTimestamp ~= nil then
  return health("Progressing", "It is being deleted: its application is restored first")
end
if asTable(metadata.annotations)["serin.dev/left-to-another-controller"] ~= nil then
  return health("Degraded", "Serin has left it to another controller: serin why " .. asText(metadata.name) .. " says how to end that")
end

local sentence = ""
local refusal = nil
local observed = tonumber(status.observedGeneration)
for _, one in ipairs(asTable(status.conditions)) do
  local condition = asTable(one)
  if condition.type == "Promoted" then
    sentence = asText(condition.message)
    observed = tonumber(condition.observedGeneration) or observed
  end
  if condition.type == "Accepted" and condition.status == "False" then refusal = condition end
end
if sentence == "" then sentence = phase end
local weight = tonumber(status.canaryWeight) or 0
if weight > 0 then sentence = "Canary " .. weight .. "%. " .. sentence end
if code ~= "" then sentence = code .. ": " .. sentence end

if refusal ~= nil and refusal.reason ~= "Suspended" then
  return health("Degraded", asText(refusal.reason) .. ": " .. asText(refusal.message))
end
if refusals[code] or phase == "Failed" then
  return health("Degraded", sentence)
end
if spec.suspend == true then
  return health("Suspended", "spec.suspend is true" .. (sentence ~= "" and ": " .. sentence or ""))
end
if phase == "" then
  return health("Progressing", "Serin has not read it yet")
end
if observed ~= nil and observed ~= tonumber(metadata.generation) then
  return health("Progressing", "Serin has not read the last edit of its spec yet")
end
if release.paused ~= nil or holding[code] or phase == "Waiting" or phase == "WaitingPromotion" then
  return health("Suspended", sentence)
end
for _, blocker in ipairs(asTable(release.blockers)) do
  if asTable(blocker).code == "GateClosed" then return health("Suspended", sentence) end
end
if phase == "Initialized" or phase == "Succeeded" then
  return health((code ~= "" and not passing[code]) and "Degraded" or "Healthy", sentence)
end
return health("Progressing", sentence)
