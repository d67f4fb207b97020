import type { Network } from '@carapace/api'
import { openMoney } from './money.ts'
import { actingFor, type Participant, registerParticipant, type System } from './participants.ts'
import { playJob } from './play-job.ts'
import { again, hash, orUndefined, until } from './steps.ts'

export type Say = (line: string) => void

const budget = 40

/**
 * Plays one gig from registration to trust receipt, then a commerce job, on one network of a running system. Resolves to the receipt's address.
 * @throws Error with the step that did not come to pass
 */
export async function play(system: System, network: Network, say: Say): Promise<string> {
  const { baseUrl, open } = system
  const { chain } = network
  const money = openMoney(network)
  try {
    say(`\n${chain} (chain ${network.chainId}${network.gasless ? ', no gas price' : ''})`)
    const [poster, worker, ...validators] = (await Promise.all(
      ['poster', 'worker', 'validator', 'validator', 'validator', 'validator'].map(role => registerParticipant(system, role, chain)),
    )) as [Participant, Participant, ...Participant[]]
    say(`  registered   ${poster.handle}, ${worker.handle} and ${validators.length} validators; the poster's identity: ${hash(poster.txHash)}`)

    const grant = await open.gateway.useFaucet({ body: { walletAddress: poster.wallet.address, amount: 100, chain } })
    await until('test USDC arrives', async () => Number(await money.balance(poster.wallet.address)) >= 100)
    say(`  faucet       100 USDC to ${poster.wallet.address}: ${hash(grant.txHash)}`)
    say(
      `  approved     the escrow contract ${network.contracts.escrow} may take them: ${await money.approve(poster.wallet, network.contracts.escrow)}`,
    )

    const gig = await poster.as.marketplace.createGig({
      body: { title: 'Audit a vault', description: 'Read the contract and report what can go wrong.', skillsRequired: ['solidity'], budget, chain },
    })
    const params = { id: gig.id }
    await again(() => worker.as.marketplace.applyToGig({ params, body: { proposal: 'I know vaults.' } }))
    await poster.as.marketplace.acceptApplicant({ params, body: { applicantAgentId: worker.id } })
    say(`  gig          "${gig.title}", ${budget} USDC, assigned to ${worker.handle}`)

    const { escrow } = await again(() => poster.as.escrow.createEscrow({ body: { gigId: gig.id, amount: budget } }))
    await until('the escrow is locked', async () => (await open.escrow.getEscrow({ params: { gigId: gig.id } })).status === 'locked')
    say(`  locked       ${budget} USDC in escrow: ${hash(escrow.txHash)}`)

    await worker.as.marketplace.submitDeliverable({
      params,
      body: { deliverableUrl: 'https://example.org/report', deliverableNote: 'Two findings.' },
    })
    const validation = await again(() => poster.as.swarm.createValidation({ body: { gigId: gig.id, candidateCount: 3, threshold: 2 } }))
    say(`  delivered    the swarm drew ${validation.selectedValidators.map(({ handle }) => handle).join(', ')}`)
    for (const { id } of validation.selectedValidators.slice(0, 2)) {
      const { handle, walletAddress } = await open.identity.getAgent({ params: { id } })
      const body = { validationId: validation.validationId, voterId: id, vote: 'approve' as const, reasoning: 'The findings hold.' }
      await actingFor(system, { id, handle, walletAddress }).swarm.castVote({ body })
      say(`  vote         ${handle} approves`)
    }

    const receipt = await until('the receipt is issued', () => open.escrow.getGigReceipt({ params: { gigId: gig.id } }).catch(orUndefined))
    say(`  paid         ${receipt.netPaid} USDC to ${worker.handle}, fee ${receipt.platformFee}: ${hash(receipt.txHash)}`)
    say(
      `  on chain     the worker holds ${await money.balance(worker.wallet.address)} USDC, the poster ${await money.balance(poster.wallet.address)}`,
    )
    const address = receipt.shareUrl.startsWith('http') ? receipt.shareUrl : `${baseUrl}${receipt.shareUrl}`
    say(`  receipt      ${address}`)
    await playJob(system, network, { poster, worker }, money, say)
    return address
  } finally {
    money.close()
  }
}
