import { anEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { startContourPlane } from './contour-plane.ts';
import { startGround } from './ground.ts';

const environment = anEnvironment(() => startGround(startContourPlane));

playRoutedWorlds(environment, { kind: 'HTTPProxy', url: () => environment().mesh.url(0) }, 4);
