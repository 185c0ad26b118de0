import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Fingerprint, type Loss, lossesIn } from './fingerprint.ts';

/** A loss with the moment at which it was first seen. */
export interface SeenLoss extends Loss {
  moment: string;
  /** An event or a condition names an object of it. */
  isNamed: boolean;
}

/** Losses of an application so far, each listed once. */
export class Losses {
  readonly #before: Fingerprint;
  readonly #services: ReadonlySet<string>;
  readonly #found = new Map<string, Omit<SeenLoss, 'isNamed'>>();

  /** `objects` are the objects of the application's user. */
  constructor(before: Fingerprint, objects: readonly KubeObject[]) {
    this.#before = before;
    this.#services = new Set(objects.filter(({ kind }) => kind === 'Service').map(({ metadata }) => `Service/${metadata.name}`));
  }

  look(moment: string, now: Fingerprint, { isReleasing, isMeant }: { isReleasing: boolean; isMeant(loss: Loss): boolean }): void {
    const isGone = (service: string) => [...this.#found.keys()].some((what) => what.startsWith(`who answers at ${service}:`));
    const isMeantFor = (service: string) => this.#services.has(service) && !isGone(service);
    const beside = isReleasing ? now.besideRoutes.filter(isMeantFor) : [];
    const unweighted = beside.map(
      (service): Loss => ({
        kind: 'unweighted canary',
        what: `${service} leads to the canary`,
        before: 'by the routes alone',
        now: 'beside them',
        objects: [service],
      }),
    );
    for (const loss of [...lossesIn(this.#before, now), ...unweighted].filter(isMeant)) {
      if (!this.#found.has(loss.what)) this.#found.set(loss.what, { ...loss, moment });
    }
  }

  /** Adds losses that another oracle found. */
  addAll(moment: string, losses: readonly Loss[]): void {
    for (const loss of losses) if (!this.#found.has(loss.what)) this.#found.set(loss.what, { ...loss, moment });
  }

  /** Adds a loss that no fingerprint shows. */
  add(kind: Loss['kind'], what: string, before: string, now: string): void {
    this.#found.set(what, { kind, what, before, now, objects: [], moment: 'at the end' });
  }

  /** Losses, each with `isNamed` if a condition or event named its object. */
  found(said: string): SeenLoss[] {
    return [...this.#found.values()].map((loss) => ({ ...loss, isNamed: isNamed(said, loss.objects) }));
  }
}

/** A line has the kind of an object, and then its name. */
export function isNamed(text: string, objects: readonly string[]): boolean {
  return objects.some((object) => {
    const [kind = '', name = ''] = object.split('/');
    return new RegExp(`\\b${kind}\\b[^\\n]*(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(text);
  });
}
