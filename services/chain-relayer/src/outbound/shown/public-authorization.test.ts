import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type CommandKind, chainCommand, type Draft } from '@carapace/api'
import {
  commandOf,
  commands,
  commandTable,
  decodeRevert,
  encodeCall,
  type FundingSource,
  onChainKey,
  type SignedAuthorization,
} from '@carapace/chain'
import { until } from '@carapace/testing'
import { RpcRefused } from '../../rpc/rpc.ts'
import { type Kit, startKit, wallet } from '../../testing/kit.ts'
import { argsOf } from '../prepare.ts'
import { anyoneMaySubmit } from '../public-authorization.ts'
import { revertData } from '../revert-reason.ts'

const chain = 'BASE_SEPOLIA'
const amount = 5_000_000n
const signature = `0x${'1'.repeat(130)}`
const window = { validAfter: 0n, validBefore: 1n << 40n }
const nonce = `0x${'1'.repeat(64)}`

const signedSources: Readonly<Record<'authorization' | 'custodial' | 'permit', FundingSource>> = {
  authorization: { kind: 'authorization', from: wallet(), signature, ...window },
  custodial: { kind: 'custodial', from: wallet() },
  permit: { kind: 'permit', value: amount, deadline: window.validBefore, signature },
}

const jobId = randomUUID()
/** Its client pays it from an allowance also without the platform: nobody else may. */
const job = { jobId, jobKey: onChainKey(jobId), client: wallet() }

/** Every kind whose calldata can have a signature by the owner of money, for each source that has one. */
const fundings: Partial<Record<CommandKind, (source: FundingSource) => Draft>> = {
  'escrow.lock': source => commands.escrowLock({ chain, gigId: randomUUID(), poster: wallet(), payee: wallet(), amount, source }),
  'bond.deposit': source => commands.bondDeposit({ chain, bondEventId: randomUUID(), agent: wallet(), amount, source }),
  'job.fund': source => commands.jobFund({ chain, ...job, amount, source }),
  'domain.mint': source =>
    commands.domainMint({
      ...{ chain, domainId: randomUUID(), n: 1, fullDomain: 'shown.claw', owner: wallet(), texts: [] },
      sale: { price: amount, source },
    }),
}
const transfers: Partial<Record<CommandKind, () => Draft>> = {
  'treasury.pay': () => commands.treasuryPay({ chain, paymentId: randomUUID(), from: wallet(), to: wallet(), amount }),
  'treasury.settle-x402': () =>
    commands.treasurySettleX402({ chain, paymentId: randomUUID(), from: wallet(), to: wallet(), amount, nonce, signature, ...window }),
}

describe('calldata with a signature that moves money', function () {
  this.timeout(120_000)
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await kit.start()
    const expiredAt = Math.floor(Date.now() / 1_000) + 86_400
    const create = commands.jobCreate({ chain, jobId, client: job.client, budget: amount, expiredAt, description: '' })
    await kit.send(create)
    await until('there is a job', () => kit.of(create.subject, 'confirmed')[0])
  })
  after(() => kit.close())

  const isPublic = (draft: Draft) => anyoneMaySubmit({ commandOf }, chainCommand.parse(draft.data))

  /** The call of a command, sent by a wallet that is none of the platform's. */
  async function revertOfStranger(draft: Draft): Promise<string> {
    const command = chainCommand.parse(draft.data)
    const kind = commandOf(command.kind)!
    const args = argsOf(kind, command)
    const request = kind.authorization?.(args)
    const signed: SignedAuthorization | undefined = request && { ...request, ...window, signature }
    const call = kind.call(args, signed)
    assert.ok('contract' in call)
    const { to, data } = encodeCall(call, kit.devnet.addresses, wallet())
    try {
      await kit.rpc.call('eth_call', [{ from: wallet(), to, data }, 'latest'])
      return 'none'
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error
      return decodeRevert(revertData(error.fault)).name
    }
  }

  for (const [kind, draftOf] of Object.entries(fundings)) {
    for (const [name, source] of Object.entries(signedSources)) {
      it(`of ${kind} by ${name === 'custodial' ? 'a custodial wallet' : `${name} of its owner`} is refused by its contract when a stranger sends it`, async () => {
        const draft = draftOf(source)

        assert.equal(isPublic(draft), false)
        assert.match(await revertOfStranger(draft), /^(AccessControlUnauthorizedAccount|Unauthorized)$/)
      })
    }
  }

  for (const [kind, draftOf] of Object.entries(transfers)) {
    it(`of ${kind} can be submitted by anybody`, () => {
      assert.equal(isPublic(draftOf()), true)
    })
  }

  it('is part of no other command', () => {
    const signing = Object.values(commandTable).filter(
      ({ authorization, prelude, endsAt, args }) => authorization || prelude || endsAt || 'signature' in args || 'source' in args,
    )

    assert.deepEqual(signing.map(({ kind }) => kind).sort(), [...Object.keys(fundings), ...Object.keys(transfers)].sort())
  })
})
