import { describeMeasuredElsewhere } from '../suite/measured-elsewhere.ts';
import { startRealStage } from '../suite/stage.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on a real control plane', startRealStage);
