import { expect, it } from 'vitest';
import { caused } from '../../../test/fakes/caused-releases.ts';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import { waitingFor } from '../../../test/fakes/waiting-releases.ts';
import { type Cause, causes, waitCodes } from '../../api/codes/codes.ts';
import { whyOf } from '../../reading/why/diagnose.ts';

const isWait = (cause: Cause): cause is Cause & (typeof waitCodes)[number] => waitCodes.some((one) => one === cause);

it.each(causes)('serin why names %s, which the list of codes has as a cause', (cause) => {
  const { diagnosis, also } = whyOf(
    isWait(cause) ? snapshotIn({ world: waitingFor(cause).world }) : caused[cause as keyof typeof caused](),
  );
  expect([diagnosis, ...also].map((one) => one.cause)).toContain(cause);
});

const { CrashLoop: _, ...unplayed } = caused;
// @ts-expect-error: a cause has no scene
unplayed satisfies typeof caused;
