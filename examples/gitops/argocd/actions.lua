-- Actions on a Canary of Serin, for resource.customizations.actions.flagger.app_Canary of argocd-cm: each writes the annotation that the verbs of serin
-- write. The user name is Argo CD's, which does not tell a script who clicks. Under Serin's admission policy it has to be the name of the service
-- account that Argo CD writes with.
local user = "argocd"

local function asTable(value)
  if type(value) == "table" then return value end
  return {}
end

local function startsWith(text, start)
  return start <= text and text < start .. "\127"
end

local metadata, spec, status = asTable(obj.metadata), asTable(obj.spec), asTable(obj.status)
local annotations, release = asTable(metadata.annotations), asTable(status.release)
local phase, step = status.phase, release.step
local written = annotations["serin.dev/request"]

-- A request without an answer is not overwritten. The annotation of an answered one begins with its verb and id, or, where it could not be read, with
-- what Serin took for its id.
local function isPending()
  if type(written) ~= "string" then return false end
  local requests = asTable(release.requests)
  local last = asTable(requests[#requests])
  for _, verb in ipairs({ "promote", "rollback", "pause", "resume", "retry", "undo", "restart" }) do
    if startsWith(written, verb .. " ") then
      if type(last.id) ~= "string" then return true end
      local isUnreadable = written == last.id or (#last.id >= 64 and startsWith(written, last.id))
      return not startsWith(written, verb .. " " .. last.id .. " ") and not isUnreadable
    end
  end
  -- Serin refuses what begins with no verb.
  return false
end

local function isPossible()
  local isServed = type(release.step) == "string" and metadata.deletionTimestamp == nil and spec.suspend ~= true
  if not isServed or annotations["serin.dev/left-to-another-controller"] ~= nil or isPending() then return {} end
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
  return {
    promote = (isGated or (isAnalysed and isBegun)) and not isRefused,
    rollback = isGated or isAnalysed,
    pause = (phase == "Waiting" or isAnalysed) and not isPaused,
    resume = isPaused,
    retry = phase == "Failed" and not isGated and not isRefused,
    undo = phase == "Succeeded" and step == "resting" and release.undo == nil,
  }
end

local function offered()
  local possible = isPossible()
  local actions = {}
  for _, verb in ipairs({ "promote", "rollback", "pause", "resume", "retry", "undo" }) do
    actions[verb] = { disabled = not possible[verb] }
  end
  return actions
end

local function request(verb)
  if not isPossible()[verb] then
    error("the Canary is in no state for " .. verb .. ", or has another request that is not answered yet; serin status says its state", 0)
  end
  local os = require("os")
  if type(obj.metadata.annotations) ~= "table" then obj.metadata.annotations = {} end
  local id = "argocd-" .. verb .. "-" .. os.time()
  obj.metadata.annotations["serin.dev/request"] = verb .. " " .. id .. " " .. os.date("!%Y-%m-%dT%H:%M:%SZ") .. " " .. user
  return obj
end
