/** Requests of sessions that are under way, up to a number in sum and for each session. */
export class SessionRequests {
  readonly #underWay = new Map<object, number>();
  readonly #most: number;
  readonly #mostOfSession: number;
  #inSum = 0;

  constructor(most: number, mostOfSession: number) {
    this.#most = most;
    this.#mostOfSession = mostOfSession;
  }

  /** Call the result at the end of the request; `undefined` if there are too many. */
  begin(session: object): (() => void) | undefined {
    const ofSession = this.#underWay.get(session) ?? 0;
    if (this.#inSum >= this.#most || ofSession >= this.#mostOfSession) return undefined;
    this.#inSum += 1;
    this.#underWay.set(session, ofSession + 1);
    return () => {
      this.#inSum -= 1;
      const left = (this.#underWay.get(session) ?? 1) - 1;
      if (left > 0) this.#underWay.set(session, left);
      else this.#underWay.delete(session);
    };
  }
}
