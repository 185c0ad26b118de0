import { Socket } from 'node:net';

/** Thrown in the place of a connection: a rehearsal reaches no address outside this process. */
export class SealedNetworkError extends Error {
  override readonly name = 'SealedNetworkError';
}

/**
 * No socket of this process connects until the result is called; what a rehearsal does by its own network is not touched. A last line of
 * defence: a call that finds another way fails, and does not leave the machine.
 */
export function sealNetwork(): () => void {
  const { prototype } = Socket;
  const { connect } = prototype;
  prototype.connect = function refuse(this: Socket): Socket {
    const error = new SealedNetworkError('a rehearsal makes no connection: this is a bug in Serin, please report it');
    process.nextTick(() => this.destroy(error));
    return this;
  } as typeof connect;
  return () => {
    prototype.connect = connect;
  };
}
