/** Resource names that `kubectl get -o name` puts before a name, and short ones. */
const KINDS = /^(canar(y|ies)(\.flagger\.app)?|ksvc|kservice|services?\.serving\.knative\.dev)$/i;

/**
 * An object as users name it on the command line: `podinfo`, `test/podinfo`, `canary/podinfo` (as `kubectl get -o name` writes it) or `canary/test/podinfo`.
 * `namespace` is the value of the flag, if it is given.
 */
export function readObjectName(text: string, namespace: string | undefined): { name: string; namespace?: string } | { problem: string } {
  const words = text.split('/');
  const rest = words.length > 1 && KINDS.test(words[0] ?? '') ? words.slice(1) : words;
  const [name = '', within, ...more] = rest.toReversed();
  if (name === '' || within === '' || more.length > 0)
    return {
      problem: `the argument NAME is ${JSON.stringify(text)}: give the name of a Canary, as in podinfo, test/podinfo or canary/podinfo`,
    };
  if (within !== undefined && namespace && within !== namespace)
    return { problem: `the argument NAME is ${text}, and --namespace is ${namespace}: name one namespace` };
  const chosen = within ?? namespace;
  return { name, ...(chosen ? { namespace: chosen } : {}) };
}
