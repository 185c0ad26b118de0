import { expect, it } from 'vitest';
import { Mailbox } from './mailbox.ts';

/** A mailbox whose passes end when the test says so. */
function given(mayRun = () => true) {
  const passes: PromiseWithResolvers<void>[] = [];
  const failures: unknown[] = [];
  let ends = 0;
  const mail: Mailbox<string> = new Mailbox({
    pass() {
      const pass = Promise.withResolvers<void>();
      passes.push(pass);
      return pass.promise;
    },
    mayRun,
    failed: (error) => void failures.push(error),
    ended() {
      ends += 1;
    },
  });
  /** The last pass ends, with this error. */
  const end = async (error?: Error) => {
    if (error) passes.at(-1)?.reject(error);
    else passes.at(-1)?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    return { passes: passes.length, ends, failures };
  };
  return { mail, passes, end };
}

it('passes come one after the other: any number of wakes during one cause one more', async () => {
  const { mail, passes, end } = given();
  mail.wake();
  mail.wake();
  mail.wake();
  expect(passes).toHaveLength(1);
  expect(await end()).toMatchObject({ passes: 2, ends: 0 });
  expect(await end()).toMatchObject({ passes: 2, ends: 1 });
});

it('a pass can request another one', async () => {
  const { mail, end } = given();
  mail.wake();
  mail.again();
  expect(await end()).toMatchObject({ passes: 2, ends: 0 });
});

it('messages wait in their order until they are handled, and nothing is over before', async () => {
  const { mail, end } = given();
  mail.wake('first');
  const taken = mail.messages;
  mail.wake('second');
  expect(await end()).toMatchObject({ passes: 2, ends: 0 });
  expect(mail.messages).toEqual(['first', 'second']);
  mail.handled(taken);
  expect(await end()).toMatchObject({ passes: 2, ends: 0 });
  expect(mail.messages).toEqual(['second']);
  mail.wake();
  mail.handled(mail.messages);
  expect(await end()).toMatchObject({ passes: 3, ends: 1 });
});

it('after a failure nothing is tried again before the next wake', async () => {
  const { mail, end } = given();
  mail.wake();
  expect(await end(new Error('bad'))).toEqual({ passes: 1, ends: 1, failures: [new Error('bad')] });
  mail.wake();
  expect(await end()).toMatchObject({ passes: 2, ends: 2 });
});

it('while it may not run there are no passes', async () => {
  let mayRun = false;
  const { mail, end } = given(() => mayRun);
  mail.wake();
  expect(await end()).toMatchObject({ passes: 0 });
  mayRun = true;
  mail.wake();
  expect(await end()).toMatchObject({ passes: 1 });
});

it('a stop waits for the pass under way; no other one begins, and nothing is said of it', async () => {
  const { mail, end } = given();
  mail.wake('message');
  mail.wake();
  let isStopped = false;
  void mail.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  expect(await end(new Error('stopped'))).toEqual({ passes: 1, ends: 0, failures: [] });
  expect(isStopped).toBe(true);
  mail.wake('message');
  expect(await end()).toMatchObject({ passes: 1, ends: 0 });
  expect(mail.messages).toEqual(['message']);
});

it('is idle when the pass under way has ended', async () => {
  const { mail, end } = given();
  await mail.idle();
  mail.wake();
  let isIdle = false;
  void mail.idle().then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isIdle).toBe(false);
  await end();
  expect(isIdle).toBe(true);
});
