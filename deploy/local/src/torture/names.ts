import { randomBytes } from 'node:crypto'
import { Contract } from 'ethers'
import { micro } from '../testing/job.ts'
import { newClient, persist } from './persist.ts'
import { type Stage, unless } from './pieces.ts'

/** Whole USDC of a name with this extension and at least ten characters. */
const price = 5

/** A name that two want at the same time: one owns it in the end, on the chain too, and one price was paid. */
export async function contestedName({ system, participants: { buyers, chain }, deadline, sums }: Stage): Promise<void> {
  const name = `contested-${randomBytes(5).toString('hex')}`
  const wallets = buyers.map(({ wallet }) => wallet.address)
  const resolved = async () =>
    (await system.get(`/api/domains/${name}.agent`)) as { owner: string; record: { tokenId: string; onChain: { status: string } } }
  const unlessMissing = (error: Error) => {
    if (!error.message.includes('404')) throw error
    return undefined
  }
  await Promise.all(
    wallets.map(wallet => {
      const client = newClient(system)
      const body = { name, tld: '.agent', pricePaid: price }
      return persist(
        `${name}.agent is registered`,
        deadline,
        async () => (await resolved().catch(unlessMissing))?.record.onChain.status === 'confirmed',
        () => client.once('register', 'POST', '/api/domains/register', body, { 'x-wallet-address': wallet }).catch(unless('NAME_TAKEN')),
      )
    }),
  )
  sums.paidByBuyers += micro(price)
  const { provider, contracts } = system.networks[chain]
  const registry = new Contract(contracts.domains, ['function ownerOf(uint256) view returns (address)'], provider)
  await persist('its owner is that of the token', deadline, async () => {
    const { owner, record } = await resolved()
    const onChain = (await registry.getFunction('ownerOf')(record.tokenId)) as string
    if (owner !== onChain || !wallets.includes(owner)) throw new Error(`${name}.agent belongs to ${owner}, its token to ${onChain}`)
    return true
  })
}
