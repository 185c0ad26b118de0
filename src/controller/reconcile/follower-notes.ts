import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Known facts about Services that could follow, and unreported news about them. */
export class FollowerNotes {
  /** By Service and selector, true if it leads only to the target. */
  readonly #isOwn = new Map<string, boolean>();
  #news: string[] = [];

  async isOwn(service: KubeObject, test: () => Promise<boolean>): Promise<boolean> {
    const key = `${service.metadata.uid} ${JSON.stringify(specOf<ServiceSpec>(service).selector)}`;
    const known = this.#isOwn.get(key);
    if (known !== undefined) return known;
    const found = await test();
    this.#isOwn.set(key, found);
    return found;
  }

  follows(name: string): void {
    this.#news.push(name);
  }

  /** Names of the Services that have begun to follow since the last call. */
  takeNews(): readonly string[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }
}
