-- Verbs of Serin that are possible in the present state of a Canary.
local function asTable(value)
  return type(value) == "table" and value or {}
end
local function startsWith(text, start)
  return start <= text and text < start .. "\127"
end

local metadata, spec, status = asTable(obj.metadata), asTable(obj.spec), asTable(obj.status)
local annotations, release = asTable(metadata.annotations), asTable(status.release)
local phase, step = status.phase, release.step
local written = annotations["serin.dev/request"]
local verbs = { "promote", "rollback", "pause", "resume", "retry", "undo", "restart" }

-- A request without an answer is not overwritten. The annotation of an answered one begins with its verb and id, or, where it could not be read, with
-- what Serin took for its id. What begins with no verb is refused.
local function isPending()
  if type(written) ~= "string" then return false end
  local requests = asTable(release.requests)
  local last = asTable(requests[#requests])
  for _, verb in ipairs(verbs) do
    if startsWith(written, verb .. " ") then
      if type(last.id) ~= "string" then return true end
      local isUnreadable = written == last.id or (#last.id >= 64 and startsWith(written, last.id))
      return not startsWith(written, verb .. " " .. last.id .. " ") and not isUnreadable
    end
  end
  return false
end

local possible = {}
local isServed = type(step) == "string" and metadata.deletionTimestamp == nil and spec.suspend ~= true
if isServed and annotations["serin.dev/left-to-another-controller"] == nil and not isPending() then
  local isGated = phase == "Waiting" or step == "confirming"
  local isAnalysed = phase == "Progressing" or phase == "WaitingPromotion"
  local isPaused = release.paused ~= nil
  -- The time of a request has whole seconds here, and one from before the release is refused.
  local isBegun = require("os").time() * 1000 > (tonumber(release.startedMs) or 0)
  local isRefused = false
  for _, one in ipairs(asTable(status.conditions)) do
    local condition = asTable(one)
    if condition.type == "Accepted" and condition.status == "False" then isRefused = true end
  end
  possible = {
    promote = (isGated or (isAnalysed and isBegun)) and not isRefused,
    rollback = isGated or isAnalysed,
    pause = (phase == "Waiting" or isAnalysed) and not isPaused,
    resume = isPaused,
    retry = phase == "Failed" and not isGated and not isRefused,
    undo = phase == "Succeeded" and step == "resting" and release.undo == nil,
    restart = (phase == "Initialized" or phase == "Succeeded" or phase == "Failed") and step == "resting",
  }
end
