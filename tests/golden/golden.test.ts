import { describeReplay } from './replay.ts';

describeReplay('recorded answers of kube-apiserver');
