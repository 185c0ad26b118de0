import { anEnvironment } from '../scenarios/environment.ts';
import { playPutBacks } from '../scenarios/put-backs.ts';
import { startContourPlane } from './contour-plane.ts';
import { startGround } from './ground.ts';

const environment = anEnvironment(() => startGround(startContourPlane));

playPutBacks(environment, { kind: 'HTTPProxy', url: () => environment().mesh.url(0) });
