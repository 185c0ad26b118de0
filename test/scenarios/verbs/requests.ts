import { randomUUID } from 'node:crypto';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { requestAnnotation } from '../../../src/api/names.ts';
import { type Verb, writeRequest } from '../../../src/api/verb-request.ts';
import { raw } from '../../fakes/raw.ts';
import type { Lab } from '../adversity/lab.ts';
import { nowMs } from '../world.ts';

/** Requests of users on one Canary, and waits for their answers. */
export class Requests {
  readonly #lab: Lab;
  readonly #canary: ObjectRef;

  constructor(lab: Lab, canary: ObjectRef) {
    this.#lab = lab;
    this.#canary = canary;
  }

  /** As `kubectl annotate` does; an existing request is overwritten. */
  async ask(verb: Verb, id: string = randomUUID(), by = 'ann@example.org'): Promise<string> {
    await this.#annotate(writeRequest({ verb, id, by, atMs: nowMs() }));
    return id;
  }

  async answered(id: string): Promise<void> {
    const isAnswered = (now?: KubeObject) => raw(now)?.status?.release?.requests?.some((one: { id: string }) => one.id === id);
    await this.#lab.until(this.#canary, `answers request ${id}`, isAnswered);
  }

  /** Resolves when the controller has looked at all requests: by then it has refused every unreadable request. */
  async settle(): Promise<void> {
    const id = randomUUID();
    await this.#annotate(`look ${id} ${new Date(nowMs()).toISOString()} ann@example.org`);
    await this.answered(id);
  }

  async #annotate(text: string): Promise<void> {
    await this.#lab.cluster.patch(this.#canary, { metadata: { annotations: { [requestAnnotation]: text } } });
  }
}
