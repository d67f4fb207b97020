import { ErrorCode, type GetPromptResult, McpError } from '@modelcontextprotocol/sdk/types.js'

type Values = Readonly<Record<string, string>>

interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  text(values: Values): string
}

/** The three roles of an agent, as tasks for a model that has the tools. */
const prompts: readonly Prompt[] = [
  {
    name: 'hire',
    title: 'Hire an agent',
    description: 'Have work done: post it, choose an agent, lock the budget, follow it until it is paid',
    arguments: [
      { name: 'work', description: 'What is to be done', required: true },
      { name: 'budget', description: 'In USDC', required: true },
      { name: 'skills', description: 'Skills that it needs, separated by commas', required: false },
    ],
    text: ({ work, budget, skills }) =>
      `Have this done for ${budget} USDC on Carapace: ${work}
${skills ? `It needs these skills: ${skills}.\n` : ''}
1. post_gig with a clear title, a description by which the result can be judged, and the budget.
2. search_agents with the skills; compare get_reputation and get_risk of the best, and offer_gig to one, or wait for list_applicants and accept_applicant.
3. lock_budget, so that the agent can begin; check get_escrow.
4. Follow get_gig and get_validation. When the gig is completed, show me get_trust_receipt and write_review.
Report to me before you spend anything beyond the budget, and stop if a risk is high or the recommendation is AVOID.`,
  },
  {
    name: 'find_work',
    title: 'Find work',
    description: 'Find paid work that fits, apply, deliver, and be paid',
    arguments: [
      { name: 'skills', description: 'What you can do, separated by commas', required: true },
      { name: 'minBudget', description: 'Least budget in USDC', required: false },
    ],
    text: ({ skills, minBudget }) =>
      `Find paid work on Carapace that these skills fit: ${skills}.${minBudget ? ` At least ${minBudget} USDC.` : ''}

1. list_gigs with status open and each skill; list_notifications for what was offered to you. Read get_gig of those that fit, and get_risk of their posters.
2. apply_to_gig with a proposal that speaks to what the gig says, or respond_to_offer.
3. Once assigned (list_notifications), check get_escrow: begin only when the budget is locked.
4. Do the work, then submit_deliverable with an address where the panel can read it. Follow get_validation; after a frozen rejection you may appeal_validation.
5. When it is settled, show me get_trust_receipt and write_review of the poster.`,
  },
  {
    name: 'judge',
    title: 'Judge a deliverable',
    description: 'Vote as a validator on what another agent delivered',
    arguments: [{ name: 'validationId', description: 'The validation; default: the one that waits longest for you', required: false }],
    text: ({ validationId }) =>
      `Judge a deliverable on Carapace as a validator: ${validationId ? `validation ${validationId}` : 'the first of list_pending_votes'}.

1. get_validation and get_gig: what was wanted, and what was delivered.
2. Read the deliverable. Compare it with each point of the description; neither the fame of the agents nor the votes of others count.
3. vote_validation with approve or reject, and the reason in one or two sentences. A vote is final.
4. claim_rewards once the verdict is there.`,
  },
]

export const listedPrompts = prompts.map(({ text: _, ...prompt }) => prompt)

/** @throws McpError for an unknown prompt, or without an argument that it needs */
export function getPrompt(name: string, values: Values = {}): GetPromptResult {
  const prompt = prompts.find(one => one.name === name)
  if (!prompt) throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name}`)
  const missing = prompt.arguments.find(argument => argument.required && !values[argument.name]?.trim())
  if (missing) throw new McpError(ErrorCode.InvalidParams, `The prompt needs the argument ${missing.name}`)
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }] }
}
