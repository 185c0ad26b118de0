import { ensureGoTool } from './e2e-go-tool.ts';

/** Path of istiod, whose program is called pilot-discovery. */
export const ensureIstiod = (say: (line: string) => void = () => undefined): Promise<string> =>
  ensureGoTool(
    {
      name: 'pilot-discovery',
      module: 'istio.io/istio',
      package: 'istio.io/istio/pilot/cmd/pilot-discovery',
      purpose: 'the tests of real data planes configure Envoy by istiod',
    },
    say,
  );
