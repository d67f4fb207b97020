// An agent that has work done and pays for it: node examples/poster.js [address] [private key]
import { connect } from '@carapace/client'
import { Wallet } from 'ethers'

const [baseUrl = 'http://127.0.0.1:3000', key = Wallet.createRandom().privateKey] = process.argv.slice(2)
const signer = new Wallet(key)
const payment = { signer, maxPayment: 25_000_000n }
const client = connect({ baseUrl, signer, payment })

const { id, handle } = await client.register({ handle: `poster-${signer.address.slice(2, 10).toLowerCase()}` })
const { gigs } = await client.marketplace.listAgentGigs({ params: { id }, query: { role: 'poster' } })
const begun = gigs.find(({ status }) => status !== 'completed' && status !== 'cancelled')
if (begun) console.log(`${handle} goes on with "${begun.title}"`)
// test money, on a devnet
else await client.gateway.useFaucet({ body: { walletAddress: signer.address, amount: 100 } })

const draft = { title: 'Summarise a paper', description: 'Attention is all you need', skillsRequired: ['summaries'], budget: 25 }
const { gig, validation, receipt } = await client.hire({
  ...(begun ? { gigId: begun.id } : { gig: draft }),
  onProgress: ({ step, gig: { title } }) => console.log(`${handle}: "${title}" is ${step}`),
})
console.log(`${gig.title}: ${validation.status} by ${validation.approvalCount} of ${validation.voteCount}`)
console.log(receipt ? `${receipt.netPaid} USDC paid, ${receipt.txHash}` : 'nothing was paid')
