import { ensureIptables, ensureNft, kubernetesStamps } from './e2e-binaries.ts';
import { ensureGoTool } from './e2e-go-tool.ts';

/** Path of kube-proxy, of the version of the control plane; with the programs that it sets its rules with. */
export async function ensureKubeProxy(say: (line: string) => void = () => undefined): Promise<string> {
  await ensureNft(say);
  await ensureIptables(say);
  return ensureGoTool(
    {
      name: 'kube-proxy',
      folder: '',
      module: 'k8s.io/kubernetes',
      package: 'k8s.io/kubernetes/cmd/kube-proxy',
      stamps: kubernetesStamps,
      purpose: 'the tests of real data planes send requests to Services through kube-proxy',
    },
    say,
  );
}
