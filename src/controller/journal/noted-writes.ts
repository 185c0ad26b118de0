import type { ObjectRef } from '../../api/kube-object.ts';
import { refOf } from '../../api/kube-object.ts';
import type { Cluster, WriteOptions } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';

/** The same cluster; `note` is called for each answered write, without its content. */
export function notedWrites(cluster: Cluster, note: (write: string) => void): Cluster {
  const noted = async <T>(verb: string, ref: ObjectRef, options: WriteOptions | undefined, write: () => Promise<T>): Promise<T> => {
    if (options?.dryRun) return write();
    const what = `${verb} ${ref.kind}${options?.subresource ? `/${options.subresource}` : ''} ${ref.name}`;
    try {
      const answer = await write();
      note(what);
      return answer;
    } catch (error) {
      note(`${what}: ${error instanceof ApiError ? error.status : 'no answer'}`);
      throw error;
    }
  };
  return {
    get: (...args) => cluster.get(...args),
    list: (...args) => cluster.list(...args),
    watch: (...args) => cluster.watch(...args),
    settled: () => cluster.settled(),
    close: () => cluster.close(),
    create: (object, options) => noted('create', refOf(object), options, () => cluster.create(object, options)),
    replace: (object, options) => noted('replace', refOf(object), options, () => cluster.replace(object, options)),
    apply: (object, options) => noted('apply', refOf(object), options, () => cluster.apply(object, options)),
    patch: (ref, patch, options) => noted('patch', ref, options, () => cluster.patch(ref, patch, options)),
    delete: (ref, options) => noted('delete', ref, {}, () => cluster.delete(ref, options)),
  };
}
