-- Health of a Canary in Argo CD. It runs without the libraries of Lua.
local function health(status, message)
  return { status = status, message = message or "" }
end

local metadata = obj.metadata or {}
local spec = obj.spec or {}
local status = obj.status or {}
local release = status.release or {}
local phase = status.phase or ""

if metadata.deletionTimestamp ~= nil then
  return health("Progressing", "It is being deleted: its application is restored first")
end
if (metadata.annotations or {})["serin.dev/left-to-another-controller"] ~= nil then
  return health("Degraded", "Serin has left it to another controller: serin why " .. metadata.name .. " says how to end that")
end

local sentence = ""
local refusal = nil
local observed = status.observedGeneration
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Promoted" then
    sentence = condition.message or ""
    observed = condition.observedGeneration or observed
  end
  if condition.type == "Accepted" and condition.status == "False" then refusal = condition end
end
local weight = tonumber(status.canaryWeight) or 0
if weight > 0 then sentence = "Canary " .. weight .. "%. " .. sentence end
if status.reason ~= nil then sentence = status.reason .. ": " .. sentence end

if refusal ~= nil and refusal.reason ~= "Suspended" then
  return health("Degraded", refusal.reason .. ": " .. (refusal.message or ""))
end
if spec.suspend == true then
  return health("Suspended", "spec.suspend is true" .. (sentence ~= "" and ": " .. sentence or ""))
end
if phase == "" then
  return health("Progressing", "Serin has not read it yet")
end
if observed ~= nil and observed ~= metadata.generation then
  return health("Progressing", "Serin has not read the last edit of its spec yet")
end
if release.paused ~= nil then
  return health("Suspended", sentence)
end
for _, blocker in ipairs(release.blockers or {}) do
  if blocker.code == "GateClosed" then return health("Suspended", sentence) end
end
if phase == "Failed" then
  return health("Degraded", sentence)
end
if phase == "Initialized" or phase == "Succeeded" then
  return health(status.reason ~= nil and "Degraded" or "Healthy", sentence)
end
return health("Progressing", sentence)
