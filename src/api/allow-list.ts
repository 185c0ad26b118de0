import { shorten } from '../base/field-path.ts';
import { hostOf, isLabel, isName } from '../base/host-name.ts';

/** Hosts or gateways that each namespace may use, by namespace; `*` means every namespace. */
export type AllowList = ReadonlyMap<string, readonly string[]>;

/** Entries of a namespace, together with those of `*`. */
export const allowedIn = (list: AllowList, namespace: string): string[] => [...(list.get(namespace) ?? []), ...(list.get('*') ?? [])];

interface Entries {
  example: string;
  /** Returns the entry in the form that is compared, `undefined` if it is not valid. */
  read(text: string): string | undefined;
}
/** Values of --allowed-hosts. */
export const hostEntries: Entries = { example: 'team-a=*.a.example.com,shop.example.com', read: hostOf };
/** Values of --allowed-gateways. */
export const gatewayEntries: Entries = {
  example: 'team-a=istio-system/public',
  read(text) {
    const [namespace = '', name = '', ...rest] = text.split('/');
    return isLabel(namespace) && isName(name) && rest.length === 0 ? text : undefined;
  },
};

/** Reads `NAMESPACE=ENTRY,ENTRY`, once or several times for each namespace. */
export function parseAllowList(values: readonly string[], { example, read }: Entries): AllowList | { problem: string } {
  const list = new Map<string, string[]>();
  for (const value of values) {
    const problem = (what: string) => ({ problem: `${shorten(value)}: ${what}: write it like ${example}` });
    const split = value.indexOf('=');
    const namespace = value.slice(0, Math.max(split, 0)).trim();
    if (namespace !== '*' && !isLabel(namespace)) return problem('it must begin with a namespace, or *, and =');
    const entries = value.slice(split + 1).split(',');
    for (const entry of entries) {
      const known = read(entry.trim());
      if (known === undefined) return problem(`${shorten(entry.trim())} cannot be an entry`);
      list.set(namespace, [...(list.get(namespace) ?? []), known]);
    }
  }
  return list;
}
