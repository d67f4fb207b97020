import { AbiCoder, concat, getCreateAddress, ZeroAddress } from 'ethers'
import { type Addresses, canonical, tokenOf } from '../address.ts'
import { artifact, type ContractName, type Hex } from '../artifact.ts'

/** Who holds which role. Roles are given in the constructors: the deployer never holds one. */
export interface Authorities {
  /** The relayer's lane key. */
  operator: string
  /** May slash and set scores; default: operator. */
  oracle?: string
  /** Locks x402 payments; default: operator. */
  facilitator?: string
  /** Hot key that may stop entries. */
  pauser: string
  /** Who may schedule the admin's acts in the timelock. Anybody may execute them once due. */
  proposers: readonly string[]
}

export interface PlanInput extends Authorities {
  chainId: number
  /** Address of the deploying account; step i is its transaction with nonce i. */
  deployer: string
  /** Seconds between scheduling and executing an act of the admin. */
  timelockDelaySeconds: number
  /** Public base URL of the platform, without slash at the end: token URIs begin with it. */
  baseUrl: string
  /** devnet: USDC, Multicall3 and the agent registries are planted where clients expect them. */
  profile: 'devnet' | 'real'
}

/** One transaction of the deployment. `plant`: runs at a given address (see plant.ts) instead of creating a contract. */
export interface Step {
  name: ContractName
  kind: 'create' | 'plant'
  nonce: number
  address: string
  initCode: Hex
  gasLimit: bigint
}

export interface Plan {
  addresses: Addresses
  steps: readonly Step[]
}

// Order = nonce. Created contracts come before planted ones, so that they have the same address everywhere.
const created = [
  'Timelock',
  'Batcher',
  'SwarmValidator',
  'Bond',
  'Escrow',
  'Commerce',
  'Card',
  'ReputationAdapter',
  'EnsRegistry',
  'DomainResolver',
  'DomainRegistry',
  'ValidationRegistry',
  'JobEvaluator',
] as const satisfies readonly ContractName[]

const registries = ['IdentityRegistry', 'ReputationRegistry'] as const satisfies readonly ContractName[]
const foreign = ['DevUSDC', 'Multicall3'] as const satisfies readonly ContractName[]

const order: readonly ContractName[] = [...created, ...registries, ...foreign]

/**
 * The deployment as data: addresses follow from the deployer alone, so contracts may know each other before they exist.
 * @throws Error on a chain without a known USDC.
 */
export function planDeployment(input: PlanInput): Plan {
  const addresses = addressesOf(input)
  const names = input.profile === 'devnet' ? order : order.filter(name => !isIn(foreign, name))
  const steps = names.map(
    (name, nonce): Step => ({
      ...planCreation(name, input, addresses),
      kind: isCreated(name, input) ? 'create' : 'plant',
      nonce,
      address: addresses[name],
    }),
  )
  return { addresses, steps }
}

/** How one contract is created among others. */
export function planCreation(name: ContractName, input: PlanInput, among: Addresses): Pick<Step, 'name' | 'kind' | 'initCode' | 'gasLimit'> {
  const initCode = concat([artifact(name).bytecode, constructorArguments(name, input, among)]) as Hex
  return { name, kind: 'create', initCode, gasLimit: gasLimitOf(name, initCode) }
}

/**
 * Addresses of all contracts on a network.
 * @example addressesOf({ chainId: 84532, deployer, profile: 'devnet' }).Escrow
 */
export function addressesOf(input: Pick<PlanInput, 'chainId' | 'deployer' | 'profile'>): Addresses {
  const token = tokenOf(input.chainId)
  if (!token) throw new Error(`no USDC is known on chain ${input.chainId}`)
  const address = (name: ContractName, nonce: number): string => {
    if (name === 'DevUSDC') return token.address
    if (isCreated(name, input)) return getCreateAddress({ from: input.deployer, nonce })
    return canonical[name as keyof typeof canonical]
  }
  return Object.fromEntries(order.map((name, nonce) => [name, address(name, nonce)])) as Addresses
}

function isCreated(name: ContractName, { profile }: Pick<PlanInput, 'profile'>): boolean {
  return isIn(created, name) || (profile === 'real' && isIn(registries, name))
}

function isIn(names: readonly ContractName[], name: ContractName): boolean {
  return names.includes(name)
}

function constructorArguments(name: ContractName, input: PlanInput, at: Addresses): string {
  const inputs = artifact(name).abi.find(fragment => fragment.type === 'constructor')?.inputs ?? []
  const values = argumentTable[name](input, at)
  return AbiCoder.defaultAbiCoder().encode(inputs as never, values)
}

const argumentTable: Record<ContractName, (input: PlanInput, at: Addresses) => unknown[]> = {
  Timelock: input => [input.timelockDelaySeconds, input.proposers, [ZeroAddress]],
  Batcher: (input, at) => [roles(input, at)],
  SwarmValidator: (input, at) => [roles(input, at), at.DevUSDC, at.Bond],
  Bond: (input, at) => [roles(input, at), at.DevUSDC, at.SwarmValidator],
  Escrow: (input, at) => [roles(input, at), at.DevUSDC, at.SwarmValidator],
  Commerce: (input, at) => [roles(input, at), at.DevUSDC, at.SwarmValidator],
  JobEvaluator: (input, at) => [roles(input, at), at.Commerce],
  Card: (input, at) => [roles(input, at), `${input.baseUrl}/api/cards/`],
  ReputationAdapter: (input, at) => [roles(input, at)],
  EnsRegistry: (_, at) => [at.DomainRegistry],
  DomainResolver: (_, at) => [at.EnsRegistry, at.DomainRegistry],
  DomainRegistry: (input, at) => [roles(input, at), at.EnsRegistry, at.DomainResolver, at.DevUSDC, `${input.baseUrl}/api/domains/`],
  ValidationRegistry: (_, at) => [at.IdentityRegistry],
  IdentityRegistry: (input, at) => [roles(input, at)],
  ReputationRegistry: (_, at) => [at.IdentityRegistry],
  DevUSDC: (input, at) => [tokenOf(input.chainId)?.name, at.Timelock, [input.operator, at.Batcher]],
  Multicall3: () => [],
}

function roles(input: PlanInput, at: Addresses): unknown[] {
  const { operator, oracle = operator, facilitator = operator, pauser, timelockDelaySeconds } = input
  return [at.Timelock, timelockDelaySeconds, operator, at.Batcher, oracle, facilitator, pauser]
}

/** Enough for any constructor here: intrinsic gas, input, deposit of the code, a dozen storage slots and calls. */
function gasLimitOf(name: ContractName, initCode: Hex): bigint {
  const runtimeBytes = (artifact(name).deployedBytecode.length - 2) / 2
  return BigInt(53_000 + 20 * ((initCode.length - 2) / 2) + 200 * runtimeBytes + 1_000_000)
}
