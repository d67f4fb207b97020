import type { FunctionFragment } from 'ethers'
import { contractInterface } from './abi.ts'
import type { ContractCall } from './command.ts'
import type { Addresses, ContractName } from './contract-names.ts'
import { encodeWords } from './words.ts'

/** Represents, in the arguments of a call, an address that only the network knows. */
interface Placeholder {
  addressOf: ContractName | 'Lane'
}
export interface EncodedCall {
  to: string
  data: string
}

/**
 * Calldata of a contract call on a network.
 * @param lane address that sends the transaction; stands for `{ addressOf: 'Lane' }`
 * @throws TypeError when an argument does not fit the ABI
 */
export function encodeCall(call: ContractCall, addresses: Addresses, lane: string): EncodedCall {
  const args = call.args.map(value => (isPlaceholder(value) ? (value.addressOf === 'Lane' ? lane : addresses[value.addressOf]) : value))
  const { fragment, selector } = functionOf(call.contract, call.fn)
  return {
    to: call.at ?? addresses[call.contract],
    data: encodeWords(fragment, selector, args) ?? contractInterface(call.contract).encodeFunctionData(fragment, args),
  }
}

/** What a view function answered. @throws Error when the bytes do not fit the ABI */
export function decodeResult(call: ContractCall, data: string): readonly unknown[] {
  return contractInterface(call.contract).decodeFunctionResult(call.fn, data)
}

/** ethers finds a function and hashes its selector again each time. */
const functions = new Map<string, { fragment: FunctionFragment; selector: string }>()

function functionOf(contract: ContractName, fn: string): { fragment: FunctionFragment; selector: string } {
  const key = `${contract}.${fn}`
  const cached = functions.get(key)
  if (cached) return cached
  const fragment = contractInterface(contract).getFunction(fn)
  if (!fragment) throw new TypeError(`${contract} has no function ${fn}`)
  const found = { fragment, selector: fragment.selector }
  functions.set(key, found)
  return found
}

const isPlaceholder = (value: unknown): value is Placeholder => typeof value === 'object' && value !== null && 'addressOf' in value
