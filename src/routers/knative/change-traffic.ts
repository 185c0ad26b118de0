import type { KnativeTraffic } from '../../api/kinds/knative-service.ts';
import { isOnlyTaking, LATEST, readTrafficFlags, sumOf, TrafficFlagError, type TrafficFlags, wrongSum } from './traffic-flags.ts';

/**
 * The traffic block of a Knative Service after the flags of one command: first every `--untag`, then every `--tag`, then every `--traffic`, in any
 * order of the flags. Throws `TrafficFlagError`.
 */
export function changeTraffic(current: readonly KnativeTraffic[], flags: TrafficFlags): KnativeTraffic[] {
  const { untags, tags, shares } = readTrafficFlags(flags);
  const targets = current.map((target) => ({ ...target }));
  for (const tag of untags) takeTag(targets, tag);
  for (const { revision, tag } of tags) giveTag(targets, revision, tag);
  if (shares.length > 0) share(targets, shares);
  // Clients cannot reach them.
  return targets.filter(({ tag, percent }) => tag || (percent ?? 0) > 0);
}

function takeTag(targets: KnativeTraffic[], tag: string): void {
  const tagged = targets.find((target) => target.tag === tag);
  if (!tagged) throw new TrafficFlagError(`--untag ${tag}: no revision of this Service has this tag`);
  delete tagged.tag;
}

function giveTag(targets: KnativeTraffic[], revision: string, tag: string): void {
  const holder = targets.find((target) => target.tag === tag);
  if (holder && isOf(holder, revision)) return;
  if (holder) {
    const name = holder.latestRevision ? LATEST : holder.revisionName;
    throw new TrafficFlagError(
      `--tag ${revision}=${tag}: ${name} has this tag; take it away with --untag ${tag}, in this command or before`,
    );
  }
  const free = targets.find((target) => isOf(target, revision) && !target.tag);
  if (free) free.tag = tag;
  else targets.push({ ...named(revision), percent: 0, tag });
}

/** A revision that is not named gets nothing. */
function share(targets: KnativeTraffic[], shares: readonly { name: string; percent: number }[]): void {
  if (!isOnlyTaking(shares)) for (const target of targets) target.percent = 0;
  const taken = new Set<KnativeTraffic>();
  for (const { name, percent } of shares) {
    // A tag names one target, a revision perhaps several: tags go first.
    const found = targets.find(({ tag }) => tag === name) ?? targets.find((target) => isOf(target, name) && !taken.has(target));
    if (found && taken.has(found))
      throw new TrafficFlagError(`--traffic ${name}=${percent}: another value of this command names the same target`);
    const target = found ?? named(name);
    if (!found) targets.push(target);
    target.percent = percent;
    taken.add(target);
  }
  if (sumOf(targets) !== 100) throw wrongSum(sumOf(shares));
}

/** `@latest` stays a word in the block, so that it means the revision that a change of the template makes. */
function named(revision: string): KnativeTraffic {
  return revision === LATEST ? { latestRevision: true } : { revisionName: revision };
}

function isOf({ latestRevision, revisionName }: KnativeTraffic, revision: string): boolean {
  return revision === LATEST ? latestRevision === true : latestRevision !== true && revisionName === revision;
}
