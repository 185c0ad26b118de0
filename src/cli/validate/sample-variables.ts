import type { QueryVariables } from '../../metrics/query-variables.ts';

/** Possible variables of a Canary: every name of its workload is `word`, and every `variables.X` is `value`. */
export function sampleVariables(word: string, value = word): QueryVariables {
  const variables = new Proxy<Record<string, string>>(
    {},
    {
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value }),
      get: () => value,
    },
  );
  return { name: word, namespace: 'test', target: word, service: word, ingress: word, route: word, interval: '1m', variables };
}
