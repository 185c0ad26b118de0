import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { isIntroductionOf } from '../introduction.ts';
import { RoutingError } from '../routing-error.ts';
import { ALL, primaryWeight } from '../weights.ts';
import { type Part, partsOf } from './parts.ts';

/** A rule of a route of the user's, as raw JSON. */
export type Rule = JsonRecord;
/** One of the backends of a rule, as raw JSON, with its weight in `weight`. */
export type Backend = JsonRecord;

/** Form in which the rules of one kind of route lead requests to Services. */
export interface RuleForm {
  /** The field of a rule that lists its backends. */
  backends: 'backendRefs' | 'route' | 'services';
  /** The weight of a backend without one, beside others. `undefined` if each backend has one, also the only one of a rule. */
  unsaid?: number;
  /** Copies follow all rules of the user's, since the most specific rule takes a request; else each precedes its rule. */
  copiesLast: boolean;
  /**
   * Its proxies can know a Service only while a route names it: a rule that is split goes on naming the apex, if it then has no more backends than this.
   * Absent for proxies that know all Services.
   */
  keepsApex?: { mostBackends: number };
  /** The name of the Service in the Canary's namespace that a backend is, `undefined` for any other backend. */
  serviceOf(backend: Backend): string | undefined;
  /** Tests if it gets copies of requests, and its weight is not one of the others'; absent if no backend does. */
  isMirror?(backend: Backend): boolean;
  withService(backend: Backend, from: string, to: string): Backend;
  /** Its answers set this cookie besides. */
  withCookie(backend: Backend, text: string): Backend;
  /** Without the cookies that answers of `other` do not set. */
  withoutCookies(backend: Backend, other: Backend): Backend;
  /** The rule only for the requests that the part takes, without a name. Throws a `RoutingError` if that cannot be expressed. */
  conditioned(rule: Rule, part: Part): Rule[];
  /** Copies that many percent of its requests to the canary. Throws a `RoutingError` where it cannot. */
  mirrored(rule: Rule, canary: Backend, percent: number): Rule;
  unmirrored(rule: Rule): Rule;
  /** The field of a rule that says which requests it takes. */
  conditions: 'matches' | 'match' | 'conditions';
  /** Tests if each request that `narrow` takes fulfils the conditions of `wide`, and one more. */
  isNarrower(narrow: Rule, wide: Rule): boolean;
  /** Tests if a copy takes, of all requests of its rule, those with a cookie. */
  asksForCookie(copy: Rule, rule: Rule): boolean;
}

/** So many for each 1 of the weight that a user gave to the only backend of a rule; without one it sums to 100, and the two can be told apart. */
const SAID_ALONE = 2 * ALL;

/** The two backends that replace one of the application: the primary's first in a rule of the user's, the canary's first in a copy of one. */
interface Pair {
  first: 'primary' | 'canary';
  primary: Backend;
  canary: Backend;
}
/** The apex follows the pair that replaces it, where proxies must not forget it: without any weight, unless another writer gave it one. */
type Entry = { pair: Pair; apex?: Backend } | { other: Backend };

/** Tests if a rule leads to the application: to its apex Service, or to both of the sides that replace it. */
export function leadsToApplication(canary: Canary, rule: Rule, form: RuleForm): boolean {
  return entriesOf(canary, rule, form).some((entry) => 'pair' in entry || isApex(canary, entry.other, form));
}

/**
 * The rules of the user's with the application split as these routes say. Only backends that name the application change, and beside them the weights of the
 * others, which keep their proportion; a rule that does not lead to it stays unmodified. Conditions and cookies are copies of a rule, with its filters and
 * timeouts.
 *
 * `rules`: as the user wrote them, or as an earlier call split them. Throws a `RoutingError` if the routes cannot be expressed.
 */
export function splitRules(canary: Canary, rules: readonly Rule[], routes: Routes, form: RuleForm): Rule[] {
  const { keepsApex, ...others } = form;
  // A version before DF867 split them: that they name no apex is reason for no write (I8).
  const bare = dividedRules(canary, rules, routes, others);
  return keepsApex === undefined || isDeepStrictEqual(bare, rules) ? bare : dividedRules(canary, rules, routes, form);
}

function dividedRules(canary: Canary, rules: readonly Rule[], routes: Routes, form: RuleForm): Rule[] {
  const { copies, own } = partsOf(canary, routes);
  const whole = joinedRules(canary, rules, form);
  const split = whole.map((rule) => {
    if (!leadsToApplication(canary, rule, form)) return { copies: [], rule };
    const side = sideBeside(canary, entriesOf(canary, rule, form), form);
    // Which of them the user means and which of them is ours could not be told apart.
    if (side !== undefined)
      throw RoutingError.of(`a rule leads to Service ${side} beside ${names(canary).apexService}`, 'leave one of the two in the rule');
    const divided = (one: Rule, part: Part, first: Pair['first']) => dividedRule(canary, one, part, first, form);
    // Copies of copies would be copied by the other Canary in turn, without end.
    const parts = isCopyOfAnother(canary, rule, form) ? [] : copies;
    return {
      copies: parts.flatMap((part) => form.conditioned(rule, part).map((one) => divided(one, part, 'canary'))),
      rule: divided(rule, own, 'primary'),
    };
  });
  return arranged(canary, rules, split, form);
}

interface Split {
  copies: readonly Rule[];
  rule: Rule;
}

/**
 * Copies keep their places, if there are as many and nothing but copies parts them from their rule: otherwise two Canaries that share a rule would move each
 * other's copies for ever. Any others come before their rule, or after all.
 */
function arranged(canary: Canary, found: readonly Rule[], split: readonly Split[], form: RuleForm): Rule[] {
  const rules = found.filter((rule) => !isIntroductionOf(canary, rule));
  const owners = ownersOf(canary, rules, form);
  const own = rules.filter((rule) => !owners.has(rule));
  const isCopy = (rule: Rule): boolean => owners.has(rule) || isCopyOfAnother(canary, rule, form);
  const places = new Map<Rule, Rule>();
  const settled = new Set<Split>();
  const standing = Map.groupBy(owners.keys(), (copy) => owners.get(copy));
  for (const [index, one] of split.entries()) {
    const rule = own[index];
    const copies = standing.get(rule) ?? [];
    const [first] = copies;
    if (rule === undefined || first === undefined || copies.length !== one.copies.length) continue;
    const between = form.copiesLast ? rules.slice(rules.indexOf(first)) : rules.slice(rules.indexOf(first), rules.indexOf(rule));
    if (!between.every(isCopy)) continue;
    settled.add(one);
    for (const [at, copy] of copies.entries()) places.set(copy, one.copies[at] ?? copy);
  }
  const next = split.values();
  const arrangedRules = rules.flatMap((rule): readonly Rule[] => {
    if (owners.has(rule)) return places.has(rule) ? [places.get(rule) ?? rule] : [];
    const { value: one } = next.next();
    if (one === undefined) return [];
    return settled.has(one) || form.copiesLast ? [one.rule] : [...one.copies, one.rule];
  });
  const behind = form.copiesLast ? split.filter((one) => !settled.has(one)).flatMap((one) => one.copies) : [];
  return [...arrangedRules, ...behind];
}

/** Tests if another Canary has copied this rule: the canary of another application comes first in it. */
function isCopyOfAnother(canary: Canary, rule: Rule, form: RuleForm): boolean {
  const [isCanary, isPrimary] = [/^(.+)-canary$/, /^(.+)-primary$/];
  const services = backendsOf(rule, form).map((backend) => (form.isMirror?.(backend) ? undefined : form.serviceOf(backend)));
  return services.some((service, index) => {
    const application = isCanary.exec(service ?? '')?.[1];
    const isOther = application !== undefined && application !== names(canary).apexService;
    return isOther && isPrimary.exec(services[index + 1] ?? '')?.[1] === application;
  });
}

/** The reverse: the rules as the user wrote them, with the user's later changes. */
export function joinedRules(canary: Canary, found: readonly Rule[], form: RuleForm): Rule[] {
  const rules = found.filter((rule) => !isIntroductionOf(canary, rule));
  const copies = ownersOf(canary, rules, form);
  return rules.flatMap((rule) => {
    if (copies.has(rule)) return [];
    const unmirrored = form.unmirrored(rule);
    const entries = entriesOf(canary, unmirrored, form);
    const pairs = entries.flatMap((entry) => ('pair' in entry ? [entry.pair] : []));
    if (pairs.length === 0) return [rule];
    const isCounted = (entry: Entry): boolean => 'pair' in entry || !form.isMirror?.(entry.other);
    const counted = entries.filter(isCounted);
    // Weights that another writer has changed since might not be multiples: then they stay unmodified, in proportion.
    const unit = counted.every((entry) => weightOf(entry, form) % ALL === 0) ? ALL : 1;
    const backends = entries.map((entry): Backend => {
      const weight = weightOf(entry, form) / unit;
      if ('other' in entry) return isCounted(entry) ? { ...entry.other, weight } : entry.other;
      const whole = wholeOf(canary, entry.pair, form);
      const { weight: _, ...unsaid } = whole;
      if (counted.length > 1 || form.unsaid === undefined) return { ...whole, weight };
      const said = weightOf(entry, form);
      return said === ALL ? unsaid : { ...whole, weight: said % SAID_ALONE === 0 ? said / SAID_ALONE : weight };
    });
    return [{ ...unmirrored, [form.backends]: backends }];
  });
}

/**
 * The routes that rules of the user's express; `undefined` if they lead to the application whole, as before Serin. `read`: the routes of rules that consist
 * only of the two sides and whole percentages: copies first, then the rule itself, which in an A/B release leads only to the primary.
 */
export function readSplitRules(
  canary: Canary,
  found: KubeObject,
  all: readonly Rule[],
  { form, read }: { form: RuleForm; read(rules: Rule[]): Routes | UnreadableRoutes },
): Routes | UnreadableRoutes | undefined {
  const rules = all.filter((rule) => !isIntroductionOf(canary, rule));
  const mirrorsIn = (rule: Rule) =>
    backendsOf(rule, form).filter((one) => form.isMirror?.(one) && form.serviceOf(one) === names(canary).canaryService);
  const pure = (rule: Rule, { primary, canary: side, share }: Pair & { share: number }, namesCanary = true): Rule => ({
    ...rule,
    [form.backends]: [{ ...primary, weight: ALL - share }, ...(namesCanary ? [{ ...side, weight: share }] : []), ...mirrorsIn(rule)],
  });
  const owners = ownersOf(canary, rules, form);
  const copiesOf = Map.groupBy(owners.keys(), (copy) => owners.get(copy));
  const groups = rules.flatMap((own) => {
    const pair = owners.has(own) ? undefined : sharedPair(canary, own, form);
    if (pair === undefined) return [];
    const copies = (copiesOf.get(own) ?? []).map((copy) => ({ copy, pair: sharedPair(canary, copy, form) }));
    return [
      {
        own,
        pair,
        copies,
        isOfAnother: isCopyOfAnother(canary, own, form),
        shares: [pair, ...copies.map((one) => one.pair)].map((one) => one?.share),
      },
    ];
  });
  // The copy of another Canary contains no rule of ours.
  const [first] = groups.toSorted((a, b) => Number(a.isOfAnother) - Number(b.isOfAnother));
  if (first === undefined) return undefined;
  const { own, pair, copies, shares } = first;
  const isForSome = copies.some(({ copy }) => !form.asksForCookie(copy, own));
  // One of many rules is read: the others hold the same weights.
  if (groups.every((other) => isDeepStrictEqual(other.shares, other.isOfAnother ? shares.slice(0, 1) : shares)))
    return read([...copies.flatMap((one) => (one.pair ? [pure(one.copy, one.pair)] : [])), pure(own, pair, !isForSome)]);
  return { unreadable: `the rules of ${found.kind} ${found.metadata.name} do not agree on one weight` };
}

/** The pair of a rule, with the canary's percentage, not rounded; `undefined` if no request to it goes to the application. */
function sharedPair(canary: Canary, rule: Rule, form: RuleForm): (Pair & { share: number }) | undefined {
  const pair = pairsOf(canary, rule, form).find((one) => weightOf({ pair: one }, form) > 0);
  return pair && { ...pair, share: (ALL * numberOf(pair.canary.weight)) / weightOf({ pair }, form) };
}

/**
 * The copies among the rules, each with the rule that it was made of: its pair has the canary first, and it is another rule of a pair under one more condition.
 * A rule that only looks like a copy is the user's, as after an edit that changes the order of backends.
 */
function ownersOf(canary: Canary, rules: readonly Rule[], form: RuleForm): ReadonlyMap<Rule, Rule> {
  const owners = new Map<Rule, Rule>();
  const firsts = rules.map((rule) => pairsOf(canary, rule, form)[0]?.first);
  const isOwner = (rule: Rule, index: number): boolean => firsts[index] === 'primary' && !isCopyOfAnother(canary, rule, form);
  const owns = rules.filter(isOwner);
  let following: Rule | undefined;
  for (const [index, rule] of [...rules.entries()].toReversed()) {
    if (isOwner(rule, index)) following = rule;
    if (firsts[index] !== 'canary') continue;
    // Copies that precede their rule are followed by it: of many rules each is compared with one.
    const own = form.copiesLast ? owns.find((one) => isCopyOf(rule, one, form)) : following;
    if (own && isCopyOf(rule, own, form)) owners.set(rule, own);
  }
  return new Map([...owners].toReversed());
}

/** The copies that this Canary has made; those of another one can be before, between or behind them. */
export const copiesIn = (canary: Canary, rules: readonly Rule[], form: RuleForm): Rule[] => [...ownersOf(canary, rules, form).keys()];

function isCopyOf(copy: Rule, own: Rule, form: RuleForm): boolean {
  const bare = (rule: Rule) => ({ ...form.unmirrored(rule), name: undefined, [form.backends]: undefined, [form.conditions]: undefined });
  return isDeepStrictEqual(bare(copy), bare(own)) && form.isNarrower(copy, own);
}

const pairsOf = (canary: Canary, rule: Rule, form: RuleForm): Pair[] =>
  entriesOf(canary, rule, form).flatMap((entry) => ('pair' in entry ? [entry.pair] : []));

function dividedRule(canary: Canary, rule: Rule, part: Part, first: Pair['first'], form: RuleForm): Rule {
  const { primaryService, canaryService, apexService } = names(canary);
  const backends = backendsOf(rule, form);
  const counted = backends.filter((backend) => !form.isMirror?.(backend));
  const isOnly = counted.length === 1;
  const isEven = form.unsaid === 0 && counted.every(({ weight }) => !weight);
  const unit = isOnly && form.unsaid !== undefined && counted[0]?.weight ? SAID_ALONE / ALL : 1;
  const weightOfOne = ({ weight }: Backend): number => (numberOf(weight ?? (isOnly ? 1 : form.unsaid)) || (isEven ? 1 : 0)) * unit;
  const applications = counted.filter((backend) => isApex(canary, backend, form)).length;
  // A copy has the same backends as its rule.
  const namesApex = form.keepsApex !== undefined && backends.length + 2 * applications <= form.keepsApex.mostBackends;
  let canarySide: Backend | undefined;
  const divided = backends.flatMap((backend): Backend[] => {
    if (form.isMirror?.(backend)) return [backend];
    const weight = weightOfOne(backend);
    if (!isApex(canary, backend, form)) return [{ ...backend, weight: weight * ALL }];
    const side = (name: string, percent: number, cookie: string | undefined): Backend => {
      const named = { ...form.withService(backend, apexService, name), weight: weight * percent };
      return cookie === undefined ? named : form.withCookie(named, cookie);
    };
    const primary = side(primaryService, primaryWeight(part.share), part.cookies.primary);
    canarySide = side(canaryService, part.share, part.cookies.canary);
    if (first === 'canary') return [canarySide, primary];
    return namesApex ? [primary, canarySide, { ...backend, weight: 0 }] : [primary, canarySide];
  });
  const ruled = { ...rule, [form.backends]: divided };
  return part.mirror === undefined || canarySide === undefined ? ruled : form.mirrored(ruled, canarySide, part.mirror);
}

/** The backend of the user's that a pair replaces. */
function wholeOf(canary: Canary, pair: Pair, form: RuleForm): Backend {
  const { primaryService, apexService } = names(canary);
  return form.withService(form.withoutCookies(pair.primary, pair.canary), primaryService, apexService);
}

/** Only one side is named by the user, as for testers who call the canary itself. */
function entriesOf(canary: Canary, rule: Rule, form: RuleForm): Entry[] {
  const { primaryService, canaryService } = names(canary);
  const backends = backendsOf(rule, form);
  const entries: Entry[] = [];
  const isSide = (backend: Backend, service: string): boolean => !form.isMirror?.(backend) && form.serviceOf(backend) === service;
  for (const backend of backends) {
    const before = entries.at(-1);
    const other = before && 'other' in before ? before.other : undefined;
    const pair = before && 'pair' in before && before.apex === undefined ? before.pair : undefined;
    if (pair && isApex(canary, backend, form)) entries.splice(-1, 1, { pair, apex: backend });
    else if (other && isSide(other, primaryService) && isSide(backend, canaryService))
      entries.splice(-1, 1, { pair: { first: 'primary', primary: other, canary: backend } });
    else if (other && isSide(other, canaryService) && isSide(backend, primaryService))
      entries.splice(-1, 1, { pair: { first: 'canary', primary: backend, canary: other } });
    else entries.push({ other: backend });
  }
  return entries;
}

/** The side that the user names beside the application in one rule. */
function sideBeside(canary: Canary, entries: readonly Entry[], form: RuleForm): string | undefined {
  const { primaryService, canaryService } = names(canary);
  const services = entries.map((entry) => ('pair' in entry || form.isMirror?.(entry.other) ? undefined : form.serviceOf(entry.other)));
  return services.find((service) => service === primaryService || service === canaryService);
}

function backendsOf(rule: Rule, form: RuleForm): Backend[] {
  const found = rule[form.backends];
  return Array.isArray(found) ? found.filter((one): one is Backend => typeof one === 'object' && one !== null) : [];
}

const isApex = (canary: Canary, backend: Backend, form: RuleForm): boolean =>
  !form.isMirror?.(backend) && form.serviceOf(backend) === names(canary).apexService;

function weightOf(entry: Entry, form: RuleForm): number {
  if ('other' in entry) return numberOf(entry.other.weight ?? form.unsaid);
  const { pair, apex } = entry;
  return numberOf(pair.primary.weight) + numberOf(pair.canary.weight) || numberOf(apex?.weight);
}

const numberOf = (weight: unknown): number => (typeof weight === 'number' && Number.isFinite(weight) ? weight : 0);
