import { describeMeasuredElsewhere } from '../scenarios/measured-elsewhere.ts';
import { startVirtualStage } from '../scenarios/stage.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on the embedded cluster', startVirtualStage);
