import { createServer } from 'node:http';
import { realWorld, type World } from '../../../src/embedded/world.ts';

const GOOD = '100';
const BAD = '50';

export interface FakePrometheus {
  readonly url: string;
  /** The success rate of all applications from now on. */
  answer(isGood: boolean): void;
  /** The success rate of one application from now on, independent of the others. */
  answerFor(application: string, isGood: boolean): void;
  /** `true` refuses connections from now on, `false` takes them again. */
  setDown(isDown: boolean): void;
  stop(): Promise<void>;
}

/** Query by which a controller detects a Prometheus: another answer would cost each Canary a warning. */
const ONLINE = 'vector(1)';
/** As `nameOf` gives them. */
const APPLICATION = /app-\d+/;

/** Answers each query of metrics with one number. */
export async function startFakePrometheus({ clock, network }: Pick<World, 'clock' | 'network'> = realWorld): Promise<FakePrometheus> {
  let value = GOOD;
  const own = new Map<string, string>();
  const server = createServer((request, response) => {
    request.resume();
    const asked = decodeURIComponent(request.url ?? '');
    const [application = ''] = APPLICATION.exec(asked) ?? [];
    const answer = asked.includes(ONLINE) ? '1' : (own.get(application) ?? value);
    const result = [{ metric: {}, value: [Math.floor(clock.nowMs() / 1000), answer] }];
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  let isDown = false;
  server.on('connection', (socket) => {
    if (isDown) socket.destroy();
  });
  const { url, close } = await network.listen(server);
  return {
    url,
    answer(isGood) {
      value = isGood ? GOOD : BAD;
    },
    answerFor(application, isGood) {
      own.set(application, isGood ? GOOD : BAD);
    },
    setDown(next) {
      isDown = next;
      if (isDown) server.closeAllConnections();
    },
    stop: () => close(true),
  };
}
