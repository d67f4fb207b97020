import { AbiCoder } from 'ethers'
import { contractInterface } from './abi.ts'
import { contractNames } from './contract-names.ts'
import { plain } from './plain.ts'

/** Why a call failed, as the contract reported it. */
export interface Revert {
  /** Name of the custom error, `Error` (text) or `Panic`; `unknown` when there was no readable data. */
  name: string
  args: string[]
}

const builtIns = [
  { selector: '0x08c379a0', name: 'Error', type: 'string' },
  { selector: '0x4e487b71', name: 'Panic', type: 'uint256' },
] as const

/** Reads revert data: custom errors of all our contracts, Error(string) and Panic(uint256). Never throws. */
export function decodeRevert(data: string | undefined | null): Revert {
  if (!data || data.length < 10) return { name: 'unknown', args: [] }
  const selector = data.slice(0, 10)
  try {
    const builtIn = builtIns.find(entry => entry.selector === selector)
    if (builtIn) return { name: builtIn.name, args: [String(AbiCoder.defaultAbiCoder().decode([builtIn.type], `0x${data.slice(10)}`)[0])] }
    for (const contract of contractNames) {
      const parsed = contractInterface(contract).parseError(data)
      if (parsed) return { name: parsed.name, args: parsed.args.map(arg => text(arg)) }
    }
  } catch {
    // Data of a foreign contract may look like ours; the selector still says something.
  }
  return { name: 'unknown', args: [selector] }
}

/** One line for people. @example revertText({ name: 'Escrow_SlotTaken', args: ['0x…'] }) === 'Escrow_SlotTaken(0x…)' */
export const revertText = ({ name, args }: Revert): string =>
  name === 'Error' ? (args[0] ?? 'reverted') : name === 'unknown' ? 'reverted without a readable reason' : `${name}(${args.join(', ')})`

/** Nothing of the call's own: the contract is paused, a call was nested, the gas was short, or the node gave no reason. */
const passing: readonly string[] = ['EnforcedPause', 'ReentrancyGuardReentrantCall', 'Batcher_GasTooLow', 'unknown']

/** `passing`: five tries. `final`: none. `missing`: an effect may be missing that a reorganisation dropped, so it is waited for. */
export type RevertClass = 'passing' | 'final' | 'missing'

/** @param finalReverts those of the command */
export function revertClass({ name, args }: Revert, finalReverts: readonly string[]): RevertClass {
  const reason = name === 'Error' ? (args[0] ?? '') : name
  if (passing.includes(reason) || (name === 'Error' && /expired|not yet valid/i.test(reason))) return 'passing'
  return finalReverts.includes(reason) ? 'final' : 'missing'
}

const text = (value: unknown): string => {
  const flat = plain(value)
  return typeof flat === 'string' ? flat : JSON.stringify(flat)
}
