local names = {
  promote = "Promote now",
  rollback = "Roll back",
  pause = "Pause",
  resume = "Resume",
  retry = "Retry the failed version",
  undo = "Undo the last promotion",
  restart = "Restart the primary",
}
local actions = {}
for _, verb in ipairs(verbs) do
  actions[verb] = { disabled = not possible[verb], displayName = names[verb] }
end
return actions
