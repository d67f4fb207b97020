import { limits } from '@carapace/api'
import { z } from 'zod'
import { withFiles } from './files.ts'

const list = z
  .string()
  .default('')
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(Boolean),
  )
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const wallet = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
const key = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
const yes = z.enum(['yes', 'no', 'true', 'false', '']).transform(text => text === 'yes' || text === 'true')
const count = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .default(String(fallback))
    .transform(Number)
const port = (fallback: number) =>
  z
    .string()
    .refine(text => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a port, 0 to 65535')
    .default(String(fallback))
    .transform(Number)
const url = (schemes: string) =>
  z.string().refine(text => new RegExp(`^(${schemes})://[^/]`).test(text), `must be a URL of ${schemes.replaceAll('|', ' or ')}`)

/** Every environment variable of Carapace: its one name, form, default and meaning. */
export const configSchema = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address that the gateway (or a service run alone) listens on'),
  PORT: port(3000).describe('Port of the gateway, or of a service run alone'),
  DATA_DIR: z.string().default('.carapace').describe('Where the embedded start stores its state and keys'),
  PUBLIC_BASE_URL: url('http|https').optional().describe('Address under which clients reach the gateway; default http://HOST:PORT'),
  INTERNAL_KEY: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe('Shared secret that signs the caller context between gateway and services; the embedded start makes one'),
  INTERNAL_KEY_ACCEPTED: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe('A second INTERNAL_KEY that is accepted and signs nothing, while keys are exchanged: the next one, then the former one'),
  MONGODB_URI: url('mongodb|mongodb\\+srv').optional().describe('MongoDB replica set; default: the embedded engine'),
  DB_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,20}$/, 'must be at most 20 letters, digits, _ or -')
    .default('')
    .describe('Put before every database name'),
  AMQP_URL: url('amqp|amqps').optional().describe('RabbitMQ; default: the in-process bus'),
  SERVICE_URL: z.string().default('http://127.0.0.1:{port}').describe('Where services find each other; {service} and {port} are filled in'),
  SERVICE_PORT_BASE: port(3101).describe('Port of the first service that runs alone; the others listen on the next ones'),
  AUTH_MODE: z
    .enum(['plain', 'signed'])
    .optional()
    .describe('plain: identity headers; signed: headers and an ERC-8128 signature. Default plain in the embedded start, else signed'),
  PLAIN_MODE_ACCEPTED: yes.default(false).describe('yes lets plain mode listen beyond loopback or use real networks'),
  TRUSTED_PROXIES: list.describe('Addresses whose X-Forwarded-For counts'),
  ALLOWED_HOSTS: list.describe('Host names, besides loopback and that of PUBLIC_BASE_URL, under which the gateway answers in plain mode'),
  DEVNET_RPC_PORT: port(8545).describe('Port of the first devnet of the embedded start, the second listens on the next one; 0: free ones'),
  BASE_SEPOLIA_RPC_URL: url('http|https|ws|wss').optional().describe('JSON-RPC of Base Sepolia; default: the devnet'),
  SKALE_TESTNET_RPC_URL: url('http|https|ws|wss').optional().describe('JSON-RPC of the zero-gas network; default: the devnet'),
  BASE_SEPOLIA_PUBLIC_RPC_URL: url('http|https')
    .optional()
    .describe('Address of a node of Base Sepolia for clients (GET /api/networks), where they do not reach BASE_SEPOLIA_RPC_URL; default: that'),
  SKALE_TESTNET_PUBLIC_RPC_URL: url('http|https').optional().describe('The same for the zero-gas network'),
  BASE_SEPOLIA_ADDRESSES: z.string().optional().describe('JSON file with the contract addresses that deploy:contracts printed'),
  SKALE_TESTNET_ADDRESSES: z.string().optional().describe('The same for the zero-gas network'),
  RELAYER_KEY_BASE_SEPOLIA: key.optional().describe('Private key that sends the transactions of Base Sepolia'),
  RELAYER_KEY_SKALE_TESTNET: key.optional().describe('Private key that sends the transactions of the zero-gas network'),
  RELAYER_KEY_BASE_SEPOLIA_RETIRING: key
    .optional()
    .describe(
      'The former RELAYER_KEY_BASE_SEPOLIA while keys are exchanged: it finishes what it accepted, and gets only locks of payments that came to its address',
    ),
  RELAYER_KEY_SKALE_TESTNET_RETIRING: key.optional().describe('The same for the zero-gas network'),
  CUSTODY_SEED_FILE: z.string().optional().describe('Encrypted seed of the custodial wallets; default DATA_DIR/keys/custody.json'),
  CUSTODY_PASSPHRASE: z
    .string()
    .min(12, 'must have at least 12 characters')
    .optional()
    .describe('Opens the custody seed; default DATA_DIR/keys/passphrase'),
  ISSUER_KEY_FILE: z.string().optional().describe('Key pair that signs verifiable credentials, made when missing; default DATA_DIR/keys/issuer.json'),
  ISSUER_KEYS_ACCEPTED: list
    .refine(
      keys => keys.every(text => /^zDn[1-9A-HJ-NP-Za-km-z]{30,60}$/.test(text)),
      'must be publicKeyMultibase of P-256 keys, separated by commas',
    )
    .describe(
      'Public keys under which credentials hold besides that of ISSUER_KEY_FILE, while keys are exchanged: the next one, then the former one',
    ),
  ORACLE_WALLET: wallet.optional().describe('Wallet that acts as the oracle'),
  ADMIN_WALLETS: list.describe('Wallets that act as admins, separated by commas; default: the oracle'),
  ADMIN_API_KEY: z.string().min(16, 'must have at least 16 characters').optional().describe('x-admin-key of admin calls in plain mode'),
  DOCTOR_KEY: key
    .optional()
    .describe(
      'Private key of an admin wallet, by which the doctor signs where admin calls are signed, and the demo as the oracle; default DATA_DIR/keys/oracle',
    ),
  TRUST_ANCHORS: list
    .refine(ids => ids.every(id => uuid.test(id)), 'must be ids of agents, separated by commas; not handles, which anybody may register')
    .transform(ids => ids.map(id => id.toLowerCase()))
    .describe('Ids of posters that are known to be real, separated by commas: their word counts whole in scores'),
  INVITE_ONLY: yes.default(false).describe('yes: registration needs an invite token'),
  RATE_LIMIT_READ: count(limits.rate.read).describe('Reads per minute and client address'),
  RATE_LIMIT_WRITE: count(limits.rate.write).describe('Writes per minute and caller'),
  X402_PAY_TO_ADDRESS: wallet
    .optional()
    .describe('Where payments for sold calls go (x402); unset or zero: priced routes are free; the embedded start sets DATA_DIR/keys/income'),
  OUTBOUND_GITHUB: yes.default(false).describe('true lets skill checks query GitHub'),
  SANDBOX: yes.optional().describe('Faucet and movable clock, devnets only; default on in the embedded start'),
  WEBHOOK_LOOPBACK: yes
    .default(false)
    .describe('yes: webhooks may go to this machine, also over http; counts with SANDBOX only, and is on in the embedded start'),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional().describe('Bearer token for /metrics from beyond loopback'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http|https').optional().describe('Where traces go (OTLP over HTTP); unset: none are exported'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('always_on')
    .describe('Which traces are exported; parentbased: as the caller has decided, where its request says so; else no caller decides that'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine(text => Number(text) >= 0 && Number(text) <= 1, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number)
    .describe('Share of the traces that the samplers by ratio export, 0 to 1'),
  CHECK_ANSWERS: yes.default(false).describe('true holds every answer to its declaration (tests and local work)'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Least level that is logged'),
})

export type Config = z.output<typeof configSchema>

const names = Object.keys(configSchema.shape)

/**
 * The configuration of this process. Read once, in `main`, and passed down. What `NAME_FILE` names is read from that file.
 * @throws Error that names every wrong variable and what would be right
 */
export function readConfig(environment: Record<string, string | undefined> = process.env, defaults: Record<string, string> = {}): Config {
  const values = withFileContents(environment)
  const given = Object.fromEntries(names.flatMap(name => (values[name] === undefined || values[name] === '' ? [] : [[name, values[name]]])))
  const result = configSchema.safeParse({ ...defaults, ...given })
  if (result.success) return result.data
  throw new Error(result.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`).join('; '))
}

/** Variables with the contents of files (`NAME_FILE`) under their names: for a process that passes its variables on. @throws as readConfig */
export const withFileContents = (environment: Record<string, string | undefined>): Record<string, string | undefined> => withFiles(names, environment)

/** A variable that this process cannot do without. @throws Error that names it */
export function required<Name extends keyof Config>(config: Config, name: Name): NonNullable<Config[Name]> {
  const value = config[name]
  if (value === undefined || value === null) throw new Error(`${name} is not set: ${configSchema.shape[name].description}`)
  return value as NonNullable<Config[Name]>
}

/** Address of the gateway as clients see it, without a slash at the end. */
export const baseUrlOf = ({ PUBLIC_BASE_URL, HOST, PORT }: Config): string => (PUBLIC_BASE_URL ?? `http://${HOST}:${PORT}`).replace(/\/+$/, '')
