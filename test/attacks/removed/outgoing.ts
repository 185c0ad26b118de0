import { checksOf, type RemovedCheck } from './removed-check.ts';

const LOCAL = 'src/outgoing/local-addresses.integration.test.ts';
const DANGERS = 'src/outgoing/dangers.integration.test.ts';
const PROXY = 'src/outgoing/egress-proxy.integration.test.ts';
const POLICY = 'src/outgoing/egress-policy.integration.test.ts';
const CONCEALED = 'src/outgoing/concealed-answers.integration.test.ts';
const AGENTS = 'src/outgoing/egress-agents.test.ts';
const SPECIAL = 'src/base/special-addresses.test.ts';
const WRITTEN = 'src/outgoing/written-addresses.test.ts';
const PIECES = 'src/controller/canary/answer-pieces.integration.test.ts';

const policy = checksOf(2, 'src/outgoing/address-policy.ts', LOCAL, POLICY);
const proxies = checksOf(2, 'src/outgoing/address-policy.ts', PROXY);
const egress = checksOf(2, 'src/outgoing/egress-policy.ts', LOCAL, PROXY);

/** Addresses that a tenant writes. */
export const addressChecks: readonly RemovedCheck[] = [
  policy('metadata services', "if (kind === 'metadata') return { problem", 'if (kind === null) return { problem'),
  policy('names of metadata services', "METADATA_NAME.test(name) ? 'metadata' : undefined", 'undefined'),
  policy('local addresses', "if (isAllowedHere(host)) return 'allowed';", "return 'allowed';"),
  policy('local names', "  if (LOCAL_NAME.test(name)) return 'loopback';\n"),
  policy('addresses of the own pod and node', "(isOwn(host) ? 'own' : undefined)", 'undefined'),
  policy(
    'addresses that --allowed-addresses leaves out',
    ' && !isNamed(host) ? notAllowed : undefined',
    ' && !isNamed(host) ? undefined : undefined',
  ),
  checksOf(
    2,
    'src/base/special-addresses.ts',
    SPECIAL,
    LOCAL,
  )('addresses within IPv6 ones', 'const all = [address, ...embeddedIn(address)];', 'const all = [address];'),
  egress('addresses of a name', 'all.filter(({ address }) => judge(address) === undefined)', 'all'),
  egress('the proxy of a resource', '    if (ofTenant !== undefined) return { problem: ofTenant };\n'),
  egress('addresses of the name of a proxy', 'proxy === undefined ? lookup : lookupWithin(lookup, proxyProblemOf)', 'lookup'),
  proxies('the API server as proxy', 'return isConcealed(host) ? PROXY_IS_API_SERVER : undefined', 'return undefined'),
  checksOf(
    2,
    'src/outgoing/egress-agents.ts',
    AGENTS,
    LOCAL,
    PROXY,
    DANGERS,
  )(
    'each connection is judged by its host',
    "const problem = problemOf(options.host ?? '');",
    'const problem = undefined as string | undefined;',
  ),
  checksOf(2, 'src/outgoing/written-addresses.ts', WRITTEN)(
    'a condition names flag and value',
    'return message === undefined ? [] : [{ path, message }];',
    'return message === null ? [{ path, message }] : [];',
  ),
];

const call = checksOf(3, 'src/outgoing/call.ts', DANGERS, CONCEALED, POLICY);
const connection = checksOf(3, 'src/outgoing/connection.ts', DANGERS, PROXY);
const read = checksOf(3, 'src/outgoing/read-body.ts', DANGERS);
const concealed = checksOf(3, 'src/outgoing/egress-policy.ts', CONCEALED, PROXY);
const pieces = checksOf(3, 'src/outgoing/egress-agents.ts', PIECES, AGENTS);

/** The one room of outgoing calls. */
export const outgoingChecks: readonly RemovedCheck[] = [
  call(
    'a query follows no redirect to another origin',
    "if (isElsewhere && redirects === 'sameOrigin')",
    'if (isElsewhere && redirects === null)',
  ),
  call(
    'credentials go to no other origin',
    'if (isElsewhere && carriesCredentials(from, secrets))',
    'if (isElsewhere && secrets === null)',
  ),
  call('a redirect is judged', "if ('problem' in onward) throw", "if ('problem' in onward) return; if (onward === null) throw"),
  call('a time limit', 'const over = AbortSignal.any([signal, deadline.signal]);', 'const over = signal;'),
  call('no secret in an error', 'redact(error, secrets)', 'String(error)'),
  call('an answer that is concealed', 'const isConcealed = connection.conceals?.() ?? false;', 'const isConcealed = false;'),
  connection('no credentials over a proxy that reads them', '!connection.isOverheard || ', 'connection !== undefined || '),
  concealed('concealment by the address that answers', 'note(address === undefined || isConcealed(address))', 'note(false)'),
  concealed('concealment by the host that a proxy gets', '        note(isConcealed(host));\n'),
  concealed('concealment by the addresses of that host', 'if (isIP(host) === 0) resolvesInward', 'if (isIP(host) < 0) resolvesInward'),
  read('the size of an answer', 'if (bytes > MAX_BODY_BYTES)', 'if (bytes > 40 * MAX_BODY_BYTES)'),
  read('the beginning of an answer', 'if (bytes >= limitBytes) break;', 'if (bytes >= limitBytes + 40 * MAX_BODY_BYTES) break;'),
  pieces('interim answers', "    request.on('information', atMost(MOST_INTERIM, 'interim answers', request));\n"),
  pieces('pieces of an answer', '        count();\n'),
];
