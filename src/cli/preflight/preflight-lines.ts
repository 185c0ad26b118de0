import type { Preflight } from './preflight-document.ts';
import { guardSentence } from './read-guard.ts';

/** A Canary's arrival as a diff: `+` is made, `~` changes, `!` would be lost, `?` was not checked. */
export function preflightLines(one: Preflight): string[] {
  const { namespace, name, verdict, problem, arrived, losses, ignored, unchecked, differences, manifests } = one;
  const refused = losses.filter((loss) => loss.refused);
  const warned = losses.filter((loss) => !loss.refused);
  return [
    `Canary ${namespace}/${name}: ${arrived && verdict === 'refused' ? EDIT_REFUSED : saying[verdict]}${verdict === 'clean' && unchecked.length > 0 ? ', as far as checked' : ''}${arrived ? ' (its primary exists already)' : ''}`,
    ...(problem === undefined ? [] : [`  ! ${problem}`]),
    ...writeLines(one),
    ...guardLines(one),
    ...section('Refused until it is corrected', refused, namespace),
    ...section('Would be lost, without a refusal', warned, namespace),
    ...applierLines(one.appliers),
    ...(ignored.length === 0
      ? []
      : ['  Has no effect:', ...ignored.map(({ field, line, detail }) => `    ${line === undefined ? '' : `${line} `}${field} ${detail}`)]),
    ...(unchecked.length === 0
      ? []
      : ['  Not checked:', ...unchecked.map(({ apiVersion, kind, why }) => `    ? ${kind} (${apiVersion}): ${why}`)]),
    ...(differences.length === 0
      ? []
      : ['  Where Flagger does something else:', ...differences.map(({ id, sentence }) => `    ${id} ${sentence}`)]),
    ...(manifests.length === 0
      ? []
      : [`  serin preflight ${name} -n ${namespace} --manifests prints ${manifests.length} for the primary, ready for Git.`]),
  ];
}

const EDIT_REFUSED = 'its edit is refused, and the previous spec applies';

const saying: Readonly<Record<Preflight['verdict'], string>> = {
  clean: 'nothing is lost',
  warnings: 'it is accepted, with warnings',
  refused: 'it is refused, and nothing is written',
  unusable: 'it cannot be checked',
};

/** With its namespace where that is another one. */
const nameIn = ({ kind, namespace, name }: Preflight['keeps'][number], home: string): string =>
  `${kind} ${namespace === undefined || namespace === home ? '' : `${namespace}/`}${name}`;

function writeLines({ namespace: home, writes, routes, keeps, follows, companions }: Preflight): string[] {
  const kept = new Set(keeps.map(({ kind, name }) => `${kind}/${name}`));
  return [
    ...writes.map(({ kind, name, done }) => {
      if (kept.has(`${kind}/${name}`))
        return done ? `    ${kind} ${name} leads to the primary` : `  ~ ${kind} ${name}: its selector leads to the primary`;
      return done ? `    ${kind} ${name} exists` : `  + ${kind} ${name}`;
    }),
    ...routes.map(({ kind, name, rules, destinations, done }) => {
      const where = `${rules.join(', ')} lead${rules.length === 1 ? 's' : ''} to ${destinations.join(' and ')}`;
      return `${done ? '   ' : '  ~'} ${kind} ${name}: ${where}; all else stays`;
    }),
    ...follows.map(({ kind, name, done }) => (done ? `    ${kind} ${name} follows` : `  ~ ${kind} ${name}: its selector follows`)),
    ...companions.map(
      ({ source, name, done }) =>
        `${done ? '   ' : '  +'} ${source.kind} ${name}${done ? ' exists' : ''}: for the primary, beside ${source.name}`,
    ),
    ...keeps
      .filter(({ kind, name }) => !writes.some((one) => one.kind === kind && one.name === name))
      .map((object) => `    ${nameIn(object, home)} stays unchanged`),
  ];
}

/** The Services of users whose selector Serin writes. */
function guardLines({ guard, writes, keeps, follows }: Preflight): string[] {
  const isService = ({ kind }: { kind: string }) => kind === 'Service';
  const apex = writes.filter(isService).filter(({ name }) => keeps.some((one) => isService(one) && one.name === name));
  const names = [...apex, ...follows.filter(isService)].map(({ name }) => name);
  if (guard === undefined || names.length === 0) return [];
  return [`  ${guard === 'inForce' ? ' ' : '?'} Service ${names.join(', ')}: ${guardSentence[guard]}`];
}

function applierLines(appliers: Preflight['appliers']): string[] {
  if (appliers.length === 0) return [];
  return [
    '  Applied by a tool, and written by Serin (docs/gitops.md):',
    ...appliers.flatMap(({ object, applier, field, remedy }) => [
      `    ${object.kind} ${object.name} ${field}: ${applier} writes it back at each apply`,
      `      to keep it: ${remedy}`,
    ]),
  ];
}

function section(title: string, losses: Preflight['losses'], home: string): string[] {
  if (losses.length === 0) return [];
  return [
    `  ${title}:`,
    ...losses.flatMap(({ object, field, detail, remedy }) => [
      `    ! ${nameIn(object, home)}: ${field === undefined ? '' : `${field} `}${detail}`,
      `      to keep it: ${remedy}`,
    ]),
  ];
}
