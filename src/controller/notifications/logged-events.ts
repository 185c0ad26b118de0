import type { EventRecorder } from '../../kube/events.ts';
import type { Log } from '../log.ts';

/** Logs every Event with its reason: Events are gone after an hour, and some clusters let none be written. */
export function loggedEvents(recorder: EventRecorder, log: Pick<Log, 'info'>): EventRecorder {
  return {
    record(involved, event, isAgain) {
      const { kind, metadata } = involved;
      const name = `${metadata.namespace}/${metadata.name}`;
      if (isAgain) return recorder.record(involved, event, isAgain);
      if (kind === 'Canary') log.info({ canary: name, reason: event.reason }, event.message);
      else log.info({ kind, name, reason: event.reason }, event.message);
      return recorder.record(involved, event);
    },
  };
}
