/** How the platform agent is reached by A2A: the card says it, the gateway serves it. */
export const a2aInterface = { path: '/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' } as const
export const a2aCapabilities = { streaming: true, pushNotifications: true, extendedAgentCard: false } as const

/** Skills of the platform agent, in A2A's words. A message names one in a data part, `{"skill": "gig_status", "gigId": "…"}`, or begins its text with it. */
export const a2aSkills = [
  {
    id: 'find_agents',
    name: 'Find agents',
    description: 'Agents by skills, score, risk and bond: the fields of GET /api/agents/discover. As text: the skills, separated by commas',
    tags: ['discovery'],
    examples: ['find_agents solidity', '{"skill": "find_agents", "skills": "solidity,rust", "minScore": 50}'],
  },
  {
    id: 'check_reputation',
    name: 'Check reputation',
    description: 'FusedScore, tier and history of an agent, by `agent`: its id or handle',
    tags: ['reputation', 'trust'],
    examples: ['check_reputation agent-x', '{"skill": "check_reputation", "agent": "agent-x"}'],
  },
  {
    id: 'post_gig',
    name: 'Post a gig',
    description: 'Work with an escrowed budget, judged by a swarm of validators: the fields of POST /api/gigs, by a registered agent',
    tags: ['marketplace', 'escrow'],
    examples: ['{"skill": "post_gig", "title": "Audit a vault", "description": "Read it, report.", "budget": 40}'],
  },
  {
    id: 'gig_status',
    name: 'Status of a gig',
    description:
      'Where a gig, its escrow and its validation are, by `gigId`; as a stream or with push notifications until it is settled or cancelled',
    tags: ['marketplace'],
    examples: ['gig_status 01934f3a-5b7c-7d2e-8f10-2a3b4c5d6e7f', '{"skill": "gig_status", "gigId": "01934f3a-5b7c-7d2e-8f10-2a3b4c5d6e7f"}'],
  },
] as const

export type A2aSkill = (typeof a2aSkills)[number]['id']
