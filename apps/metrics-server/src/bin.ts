#!/usr/bin/env node
import { lineLogger, runProgram } from '@tsukube/sdk';
import { metricsServerCommand, metricsServerOptions } from './flags.ts';
import { startMetricsServer } from './metrics-server.ts';

const command = metricsServerCommand().parse();
const logger = lineLogger();
process.exitCode = await runProgram(() => startMetricsServer({ ...metricsServerOptions(command), logger }), logger);
