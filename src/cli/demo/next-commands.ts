import { shellWord } from '../own-program.ts';
import { APP } from './demo-cluster.ts';

/** Lines with commands to run after the demo. `call`: the program as the user types it; `isCheckout`: the examples are next to it. */
export function nextLines(call: string, isCheckout: boolean): string[] {
  return [
    'Try next:',
    `  ${call} demo --keep`,
    '      the same, and the cluster stays for you to look at and to release on',
    `  ${call} demo --provider smi`,
    '      the same over a TrafficSplit',
    isCheckout ? `  ${call} validate -f examples` : `  ${call} validate --help`,
    `      ${isCheckout ? 'checks manifests, here the examples' : 'how your own manifests are checked'}`,
  ];
}

/**
 * Lines that say how the cluster that was kept is used: each command is one line, and needs no variable of a shell. `faults`: the names
 * of the settings that make version 3 a bad one.
 */
export function keptLines(call: string, kubeconfigFile: string, faults: readonly string[]): string[] {
  const file = shellWord(kubeconfigFile);
  return [
    'The cluster, the controller and the users stay until Ctrl-C.',
    'In another terminal, in this folder:',
    `  ${call} status ${APP} --kubeconfig ${file}`,
    '      what Serin knows of the release',
    `  kubectl --kubeconfig ${file} set env deployment/${APP} ${faults.map((name) => `${name}-`).join(' ')}`,
    '      releases version 3 again, without its faults',
    `  ${call} status ${APP} --watch --kubeconfig ${file}`,
    '      shows it promoted; Ctrl-C ends the command',
  ];
}
