import type { Texts } from './texts';

export const fr: Texts = {
  language: 'fr',
  direction: 'ltr',
  issuer: 'Banque de test (sandbox)',
  sandboxNote: 'Ceci est un test\u00a0: aucun argent ne circule.',
  confirm: 'Confirmez votre paiement',
  merchant: 'Commerçant',
  order: 'Commande',
  description: 'Description',
  card: 'Carte',
  amount: 'Montant',
  decision: 'Votre décision',
  approve: 'Approuver le paiement',
  decline: 'Refuser',
  chooseOne: 'Veuillez choisir l’un des deux boutons.',
  outcomes: {
    processing: {
      title: 'Paiement approuvé',
      text: 'Vous avez approuvé ce paiement. Il est en cours de traitement.',
    },
    authorized: {
      title: 'Montant réservé',
      text: 'Le montant est réservé sur votre carte. Il sera débité lorsque le commerçant le demandera.',
    },
    completed: { title: 'Paiement effectué', text: 'Le montant a été débité de votre carte.' },
    declined: { title: 'Paiement refusé', text: 'Vous avez refusé ce paiement. Rien n’a été débité.' },
    failed: { title: 'Échec du paiement', text: 'Ce paiement n’a pas pu être effectué. Rien n’a été débité.' },
    cancelled: { title: 'Paiement annulé', text: 'Le commerçant a annulé ce paiement. Rien n’a été débité.' },
    expired: { title: 'Paiement expiré', text: 'Le délai pour ce paiement est dépassé. Rien n’a été débité.' },
  },
  looksAgain: 'Cette page s’actualise toute seule.',
  takesLonger: 'Cela prend plus de temps que d’habitude.',
  lookAgain: 'Vérifier à nouveau',
  backToMerchant: 'Retour au commerçant',
  closePage: 'Vous pouvez fermer cette page.',
  notFound: { title: 'Page introuvable', text: 'Il n’y a aucun paiement à confirmer à cette adresse.' },
  tryAgain: {
    title: 'Veuillez réessayer',
    text: 'La banque ne peut pas répondre pour le moment. Rechargez cette page dans un instant.',
  },
};
