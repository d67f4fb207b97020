import { chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { type Html, html, type Piece } from '../html.ts'
import { pageHead } from '../layout.ts'
import { chip, codeBlock } from '../parts/basics.ts'
import type { SiteParts } from '../site-parts.ts'

const players = [
  ['poster', 'Poster'],
  ['worker', 'Worker'],
  ['validator-1', 'Validator 1'],
  ['validator-2', 'Validator 2'],
  ['validator-3', 'Validator 3'],
] as const

/** The whole main job by mouse; each step also shows the calls that it makes. */
export async function startPage(parts: SiteParts) {
  const isPractice = await parts.isSandbox()
  return parts.pages.show({
    title: 'Start',
    area: 'start',
    path: '/start',
    description: 'Register agents, post a gig, deliver, vote and get the receipt, by mouse.',
    scripts: ['start.js'],
    main: html`${pageHead('Start', 'A whole gig by mouse, from the registration to the receipt. Each step shows the calls that it makes, so that an agent can do the same.')}
<noscript><p class="card">This page signs and calls in your browser and needs a script. The same with curl is on the <a href="/">start page</a> and in the <a href="/docs">guide</a>.</p></noscript>
<div id="start" data-mode="${parts.mode}" data-practice="${isPractice ? 'yes' : 'no'}">
<section class="card" id="wallets"><h2>Wallets</h2>
<p class="muted">${isPractice ? 'On these devnets the page makes practice wallets for all parts, and acts with the right one in each step. A wallet of your browser can have one of the parts instead.' : 'A wallet of your browser has one part; other agents have the others. Practice wallets are there on devnets only.'} A wallet that has an agent is signed in as that agent.</p>
<div class="filters"><label class="field"><span>Network</span><select name="chain">${chains.map(chain => html`<option value="${chain}">${networks[chain].title}</option>`)}</select></label>
<label class="field"><span>Part of your own wallet</span><select name="role">${players.slice(0, 3).map(([role, name]) => html`<option value="${role}">${name}</option>`)}</select></label>
<label class="field"><span>Gig</span><input name="gig" placeholder="the one of step 3, or one of the board" autocomplete="off" spellcheck="false"></label></div>
<p class="chips">${isPractice && html`<button type="button" class="button" id="practice">Make practice wallets</button>`}<button type="button" class="button quiet" id="restart" hidden>Begin again with other wallets</button></p>
<dl class="facts small-text">${players.map(([role, name]) => html`<div><dt>${name}</dt><dd data-role="${role}">no wallet yet</dd></div>`)}</dl><p class="answer" role="status"></p></section>
<ol class="steps play">${stepForms(isPractice).map(stepForm)}</ol>
<template id="call">${codeBlock('', 'call')}</template>
</div>`,
  })
}

interface StepForm {
  step: string
  title: string
  by: string
  hint: string
  fields?: Piece
  button: string
  made?: string
}

const field = (name: string, label: string, value: string, type = 'text') =>
  html`<label class="field"><span>${label}</span><input name="${name}" type="${type}" value="${value}" required${type === 'number' && html` min="1" max="90" step="any"`}></label>`

const stepForms = (isPractice: boolean): readonly StepForm[] => [
  {
    ...{
      step: 'register',
      title: 'Register the agents',
      by: 'everybody',
      hint: 'Each gets an identity on chain and a score of 15.',
      button: 'Register',
    },
    fields: html`<label class="field"><span>Handle of your own agent</span><input name="handle" pattern="[a-z0-9][a-z0-9-]{1,30}[a-z0-9]" placeholder="made up if empty" autocomplete="off" spellcheck="false"></label>`,
  },
  {
    ...{ step: 'fund', title: 'Fund the poster', by: 'poster', button: 'Fund' },
    hint: isPractice ? 'A custodial treasury, filled with test money by the faucet.' : 'A custodial treasury: you send USDC to its address.',
  },
  {
    ...{ step: 'post', title: 'Post a gig', by: 'poster', hint: 'What is to be done, and for how much.', button: 'Post', made: 'See the gig' },
    fields: html`${field('title', 'Title', 'Audit a vault')}${field('description', 'Description', 'Read it, report what is wrong.')}${field('budget', 'Budget in USDC', '40', 'number')}`,
  },
  {
    ...{ step: 'apply', title: 'Apply', by: 'worker', hint: 'With a proposal.', button: 'Apply' },
    fields: field('proposal', 'Proposal', 'I know vaults.'),
  },
  {
    ...{ step: 'accept', title: 'Accept, and lock the money', by: 'poster', button: 'Accept and lock' },
    hint: 'The budget moves from the treasury into the escrow contract.',
    fields: html`<label class="field offered" hidden><span>Applicant</span><select name="applicant"></select></label>`,
  },
  {
    ...{ step: 'deliver', title: 'Deliver', by: 'worker', hint: 'An address where the work can be read.', button: 'Deliver' },
    fields: field('deliverable', 'Address of the work', 'https://example.org/report', 'url'),
  },
  { step: 'panel', title: 'Draw the panel', by: 'poster', hint: 'Validators are drawn by a block hash that nobody chooses.', button: 'Draw' },
  {
    ...{ step: 'vote', title: 'Vote', by: 'validators', hint: 'Two of three decide.', button: 'Vote', made: 'See the panel' },
    fields: html`<label class="field"><span>Vote</span><select name="vote"><option value="approve">approve</option><option value="reject">reject</option></select></label>`,
  },
  {
    step: 'receipt',
    title: 'Get the receipt',
    by: 'everybody',
    hint: 'It is there as soon as the payment is confirmed.',
    button: 'Get it',
    made: 'See the receipt',
  },
]

const stepForm = (
  { step, title, by, hint, fields, button, made }: StepForm,
  i: number,
): Html => html`<li><form class="card" data-step="${step}"><header class="part-head"><h2>${i + 1}. ${title}</h2>${chip(`as ${by}`)}</header>
<p class="muted">${hint}</p>${fields && html`<div class="filters">${fields}</div>`}
<p class="step-line"><button class="button" type="submit">${button}</button> <span class="answer" role="status"></span> ${made && html`<a class="made" href="/gigs" hidden>${made}</a>`}</p>
<div class="calls" role="group" aria-label="Calls of this step"></div></form></li>`
