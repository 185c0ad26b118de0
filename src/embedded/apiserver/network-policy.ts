import { isIP } from 'node:net';
import type { Json, JsonObject } from './json.ts';
import { labelSelectorCauses } from './label-selector.ts';
import { numberCauses, portNameCauses } from './ports.ts';
import { forbiddenValue, invalidValue, required, type StatusCause, unsupportedValue } from './status.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Egress', 'Ingress'];
const list = (value: Json): Json[] => (Array.isArray(value) ? value : []);

/** Errors of kube-apiserver in the spec of a NetworkPolicy. Source: its ValidateNetworkPolicySpec. */
export function networkPolicyCauses(spec: JsonObject): StatusCause[] {
  const { podSelector, ingress, egress, policyTypes } = spec;
  const rules = (all: Json, direction: string, peers: string): StatusCause[] =>
    list(all).flatMap((rule, index) => ruleCauses(rule, `spec.${direction}[${index}]`, peers));
  const causes = [
    ...labelSelectorCauses(podSelector, 'spec.podSelector'),
    ...rules(ingress, 'ingress', 'from'),
    ...rules(egress, 'egress', 'to'),
  ];
  if (list(policyTypes).length > TYPES.length)
    return [...causes, invalidValue('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')];
  return [
    ...causes,
    ...list(policyTypes).flatMap((type, index) =>
      TYPES.includes(type) ? [] : [unsupportedValue(`spec.policyTypes[${index}]`, type, TYPES)],
    ),
  ];
}

const ruleCauses = (rule: JsonObject, field: string, peers: string): StatusCause[] => [
  ...list(rule.ports).flatMap((port, index) => portCauses(port, `${field}.ports[${index}]`)),
  ...list(rule[peers]).flatMap((peer, index) => peerCauses(peer, `${field}.${peers}[${index}]`)),
];

function portCauses({ protocol, port, endPort }: JsonObject, field: string): StatusCause[] {
  const causes = PROTOCOLS.includes(protocol) ? [] : [unsupportedValue(`${field}.protocol`, protocol, PROTOCOLS)];
  const end = `${field}.endPort`;
  if (port === undefined)
    return endPort === undefined ? causes : [...causes, invalidValue(end, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port !== 'number') {
    if (endPort !== undefined) causes.push(invalidValue(end, endPort, 'may not be specified when `port` is non-numeric'));
    return [...causes, ...portNameCauses(String(port), `${field}.port`)];
  }
  causes.push(...numberCauses(port, `${field}.port`));
  if (endPort === undefined) return causes;
  if (endPort < port) causes.push(invalidValue(end, port, 'must be greater than or equal to `port`'));
  return [...causes, ...numberCauses(endPort, end)];
}

function peerCauses({ podSelector, namespaceSelector, ipBlock }: JsonObject, field: string): StatusCause[] {
  const causes = [
    ...labelSelectorCauses(podSelector, `${field}.podSelector`),
    ...labelSelectorCauses(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : blockCauses(ipBlock, `${field}.ipBlock`)),
  ];
  const selectors = [podSelector, namespaceSelector].filter((selector) => selector !== undefined).length;
  if (selectors === 0 && ipBlock === undefined) causes.push(required(field, 'must specify a peer'));
  if (selectors > 0 && ipBlock !== undefined) causes.push(forbiddenValue(field, 'may not specify both ipBlock and another peer'));
  return causes;
}

function blockCauses({ cidr = '', except }: JsonObject, field: string): StatusCause[] {
  if (cidr === '') return [required(`${field}.cidr`)];
  const causes = cidrCauses(cidr, `${field}.cidr`);
  const whole = prefixOf(cidr);
  return [
    ...causes,
    ...list(except).flatMap((text, index) => {
      const at = `${field}.except[${index}]`;
      const part = prefixOf(text);
      const isPart = !whole || !part || (part.length > whole.length && part.bits.startsWith(whole.bits.slice(0, whole.length)));
      return [...cidrCauses(text, at), ...(isPart ? [] : [invalidValue(at, text, 'must be a strict subset of `cidr`')])];
    }),
  ];
}

interface Prefix {
  /** Bits of the address, as zeros and ones. */
  bits: string;
  /** Number of bits that all addresses of the range have in common. */
  length: number;
}

/** `undefined` if the text is not an address range. */
function prefixOf(text: string): Prefix | undefined {
  const [address = '', digits = ''] = text.split('/');
  const length = /^\d{1,3}$/.test(digits) ? Number(digits) : Number.NaN;
  const bits = bitsOf(address);
  return length <= bits.length && bits !== '' ? { bits, length } : undefined;
}

function cidrCauses(text: string, field: string): StatusCause[] {
  const prefix = prefixOf(text);
  if (!prefix) return [invalidValue(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  if (/\/0\d/.test(text)) return [invalidValue(field, text, 'must not have leading 0s in IP or prefix length')];
  const hasMore = prefix.bits.slice(prefix.length).includes('1');
  return hasMore ? [invalidValue(field, text, 'must not have bits set beyond the prefix length')] : [];
}

const binary = (number: number, width: number): string => number.toString(2).padStart(width, '0');

/** 32 or 128 zeros and ones; empty for a text that is not an IP address. */
function bitsOf(address: string): string {
  if (isIP(address) === 0) return '';
  if (isIP(address) === 4)
    return address
      .split('.')
      .map((part) => binary(Number(part), 8))
      .join('');
  // The URL parser writes a dotted end as groups.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail].map((text) => text.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => '0');
  return [...(first ?? []), ...zeros, ...(last ?? [])].map((group) => binary(Number.parseInt(group, 16), 16)).join('');
}
