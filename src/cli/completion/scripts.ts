/** Each script calls the program itself; nothing of a command is written twice. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const bash = `# Completion of serin for bash: source <(serin completion bash)
_serin() {
  local line="\${COMP_LINE:0:COMP_POINT}" words cur kept out candidate
  read -ra words <<< "$line"
  case "$line" in *[[:space:]]) words+=("") ;; esac
  cur="\${words[\${#words[@]}-1]}"
  # bash replaces only the text behind the last = or :.
  case "$cur" in *[=:]*) kept="\${cur%"\${cur##*[=:]}"}" ;; *) kept="" ;; esac
  out="$("$1" __complete "\${words[@]:1}" 2>/dev/null)" || return 0
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    case "$candidate" in
      :0)
        compopt -o filenames 2>/dev/null
        while read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${cur#"$kept"}") ;;
      :*) ;;
      *) COMPREPLY+=("\${candidate#"$kept"}") ;;
    esac
  done <<< "$out"
}
complete -F _serin serin kubectl-serin
`;

const zsh = `#compdef serin kubectl-serin
# Completion of serin for zsh: source <(serin completion zsh), or as a file _serin in a folder of $fpath
_serin() {
  local -a candidates
  local out line value says files
  out="$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)" || return 1
  for line in "\${(@f)out}"; do
    case "$line" in
      :0) files=1 ;;
      :*) ;;
      *)
        value="\${line%%$'\\t'*}"
        says="\${line#*$'\\t'}"
        candidates+=("\${value//:/\\\\:}:\${says}") ;;
    esac
  done
  (( \${#candidates} )) && _describe serin candidates
  [[ -n "$files" ]] && { compset -P '*='; _files }
}
if [[ "\${funcstack[1]}" == _serin ]]; then _serin "$@"; else compdef _serin serin kubectl-serin; fi
`;

const fish = `# Completion of serin for fish: serin completion fish | source, or as ~/.config/fish/completions/serin.fish
function __serin_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l answer ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    for line in $answer
        switch $line
            case ':0'
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c serin -f -a '(__serin_complete)'
complete -c kubectl-serin -f -a '(__serin_complete)'
`;

const scripts = { bash, zsh, fish } satisfies Record<Shell, string>;

/** The completion script of a shell. */
export function scriptFor(shell: Shell): string {
  return scripts[shell];
}

/** Help on the installation of each script. */
export const installHelp = `
To have it in each new shell:
  bash  echo 'source <(serin completion bash)' >> ~/.bashrc
  zsh   echo 'source <(serin completion zsh)' >> ~/.zshrc     (below a line with compinit)
  fish  serin completion fish > ~/.config/fish/completions/serin.fish

For kubectl serin, kubectl runs kubectl_complete-serin from the PATH, which the package of Serin puts there. Without it:
  printf '#!/bin/sh\\nexec kubectl-serin __complete "$@"\\n' > kubectl_complete-serin && chmod +x kubectl_complete-serin

Names of Canaries, namespaces and contexts come from the cluster, if it answers within 2 s; SERIN_COMPLETION_TIMEOUT=5s is more patient.`;
