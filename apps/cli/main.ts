import { BUILD_INFO } from '@app/platform/configuration';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';
import { asksForHelp } from './arguments';
import { auditCommand } from './audit';
import { AUDITORS_USAGE, auditorsCommand } from './auditors';
import { BACKUP_USAGE, backupCommand } from './backup';
import { CliError, EXIT } from './cli-error';
import { DELIVERIES_USAGE, deliveriesCommand } from './deliveries';
import { MERCHANTS_USAGE, merchantsCommand } from './merchants';
import { SECRETS_USAGE, secretsCommand } from './secrets';
import { TOKENS_USAGE, tokensCommand } from './tokens';
import { DAMAGED_STREAMS_USAGE, damagedStreamsCommand } from './damaged-streams';
import { OperatorApi } from './operator-api';
import { Output } from './output';
import { PROJECTIONS_USAGE, projectionsCommand } from './projections';
import { operatorTokenOf, serviceUrlOf, warningOf } from './settings';

const USAGE = `counterfoil operates a running service.

  counterfoil merchants list|show|register|rename|suspend|reinstate
  counterfoil tokens list|issue|revoke
  counterfoil auditors list|show|issue|revoke
  counterfoil secrets rotate-signing|rotate-webhook
  counterfoil deliveries list|show|redeliver
  counterfoil projections status|rebuild|cancel|retry|skip
  counterfoil damaged-streams
  counterfoil backup <folder>
  counterfoil audit verify|key|prove|check-proof|dump
  counterfoil audit replay|balances|compare
  counterfoil audit export|trial-balance|reconcile|sandbox-report
  counterfoil --version

--help after a command explains it. The service is found by COUNTERFOIL_URL, by PUBLIC_URL, HOST and PORT, or by service.json in
DATA_DIR (./data by default). The operator token is OPERATOR_TOKEN, or operator.token in DATA_DIR.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the service does not answer.`;

const TOPICS = {
  merchants: { usage: MERCHANTS_USAGE, command: merchantsCommand },
  tokens: { usage: TOKENS_USAGE, command: tokensCommand },
  auditors: { usage: AUDITORS_USAGE, command: auditorsCommand },
  secrets: { usage: SECRETS_USAGE, command: secretsCommand },
  deliveries: { usage: DELIVERIES_USAGE, command: deliveriesCommand },
  projections: { usage: PROJECTIONS_USAGE, command: projectionsCommand },
} as const;

async function main([topic, ...args]: readonly string[]): Promise<void> {
  const output = new Output(process.stdout);
  const clock = new SystemClock();
  const random = new SystemRandom();
  const auditor = { output, clock, random, environment: process.env };
  const api = () => {
    const url = serviceUrlOf(process.env);
    const warning = warningOf(url);
    if (warning !== null) process.stderr.write(`${warning}\n`);
    return new OperatorApi(url, operatorTokenOf(process.env), clock, random);
  };
  switch (topic) {
    case 'projections':
    case 'merchants':
    case 'tokens':
    case 'auditors':
    case 'secrets':
    case 'deliveries': {
      const { usage, command } = TOPICS[topic];
      return asksForHelp(args) ? output.line(usage) : command(args, { api, output, clock });
    }
    case 'damaged-streams':
      return asksForHelp(args) ? output.line(DAMAGED_STREAMS_USAGE) : damagedStreamsCommand(args, { api, output });
    case 'audit':
      return auditCommand(args, auditor);
    case 'backup':
      return asksForHelp(args) ? output.line(BACKUP_USAGE) : backupCommand(args, auditor);
    case '--version':
    case '-v':
      return output.line(`counterfoil ${BUILD_INFO.version} (${BUILD_INFO.commit})`);
    case '--help':
    case '-h':
    case 'help':
      return output.line(USAGE);
    default:
      throw new CliError(
        `${topic === undefined ? 'Which command?' : `There is no command '${topic}'.`}\n\n${USAGE}`,
        EXIT.usage,
      );
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof CliError;
  const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${process.stdout.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
  process.exitCode = isExpected ? error.exitCode : EXIT.failed;
});
