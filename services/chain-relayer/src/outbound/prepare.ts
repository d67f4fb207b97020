import { batchId, type Command, type ContractCall, type EncodedCall, encodeCall } from '@carapace/chain'
import { z } from 'zod'
import type { Lane } from '../lane/lane.ts'
import type { Op, OpError, QueuedOp } from '../lane/records.ts'
import type { Candidate } from './plan.ts'
import { signAuthorization } from './sign-authorization.ts'

export interface PreparedCall extends EncodedCall {
  value: bigint
}
/** An operation with everything that its transaction needs. */
export interface Prepared extends Candidate {
  command: Command
  args: Record<string, unknown>
  call: PreparedCall
  prelude: readonly EncodedCall[]
  /** Unix seconds; of a transfer authorisation that was signed for it. */
  validBefore?: number
}

const preludeGas = 120_000n
const authorizationGas = 45_000n

const parsed = new WeakMap<object, Record<string, unknown>>()

/** The arguments of an operation, parsed by its kind; parsed once as long as they stay in memory. @throws ZodError */
export function argsOf(command: Command, op: Pick<Op, 'args'>): Record<string, unknown> {
  const cached = parsed.get(op.args)
  if (cached) return cached
  const args = z.decode(command.schema, op.args as never) as Record<string, unknown>
  parsed.set(op.args, args)
  return args
}

/** The same of a stored operation; undefined when a former release stored them in a form that its kind has no more. */
export function storedArgsOf(command: Command, op: Pick<Op, 'args'>): Record<string, unknown> | undefined {
  try {
    return argsOf(command, op)
  } catch (error) {
    if (error instanceof z.ZodError) return undefined
    throw error
  }
}

/**
 * Encodes an operation's call; signs the authorisation of a custodial wallet where it needs one.
 * @returns an error that no retry can cure when the arguments do not fit
 */
export async function prepare(lane: Lane, op: QueuedOp): Promise<Prepared | OpError> {
  const command = lane.commandOf(op.kind)
  if (!command) return { code: 'INVALID_COMMAND', message: `kind: there is no ${op.kind}` }
  try {
    const args = argsOf(command, op)
    const request = command.authorization?.(args)
    const signed = request ? await signAuthorization(lane, request) : undefined
    const call = command.call(args, signed)
    const encoded = 'contract' in call ? { ...encode(lane, call), value: 0n } : { to: call.to, data: '0x', value: call.value }
    const prelude = (command.prelude?.(args) ?? []).map(first => encode(lane, first))
    return {
      op,
      command,
      args,
      call: encoded,
      prelude,
      ...(signed?.type === 'TransferWithAuthorization' ? { validBefore: Number(signed.validBefore) } : {}),
      gas: gasOf(command, args, op) + (request ? authorizationGas : 0n) + preludeGas * BigInt(prelude.length),
      batchable: command.batchable,
      batched: command.batchable && (command.guarded === true || op.viaBatcher || prelude.length > 0),
    }
  } catch (error) {
    return { code: 'INVALID_COMMAND', message: error instanceof z.ZodError ? issueText(error) : String((error as Error).message) }
  }
}

/** The ids under which the Batcher runs an operation's calls: the preludes', then its own. */
export const batchIds = (prepared: Prepared): string[] => [
  ...prepared.prelude.map((_, index) => batchId(`${prepared.op._id}#${prepared.op.round}#prelude${index}`)),
  batchId(prepared.op._id),
]

/** Names the faulty field. @example 'args.amount: must be above 0' */
export const issueText = (error: z.ZodError): string => error.issues.map(issue => `${['args', ...issue.path].join('.')}: ${issue.message}`).join('; ')

const encode = (lane: Lane, call: ContractCall) => encodeCall(call, lane.network.origin, lane.signer.address)

/** Measured gas of the kind with a third on top, doubled for each time it ran out. */
function gasOf(command: Command, args: Record<string, unknown>, op: Op): bigint {
  const measured = typeof command.gas === 'function' ? command.gas(args) : command.gas
  return (measured * 13n * BigInt(op.gasFactor)) / 10n
}
