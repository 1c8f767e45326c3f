import type { Texts } from './texts';

export const de: Texts = {
  language: 'de',
  direction: 'ltr',
  issuer: 'Sandbox-Bank',
  sandboxNote: 'Dies ist ein Test. Es fließt kein Geld.',
  confirm: 'Zahlung bestätigen',
  merchant: 'Händler',
  order: 'Bestellung',
  description: 'Beschreibung',
  card: 'Karte',
  amount: 'Betrag',
  decision: 'Ihre Entscheidung',
  approve: 'Zahlung freigeben',
  decline: 'Ablehnen',
  chooseOne: 'Bitte wählen Sie eine der beiden Schaltflächen.',
  outcomes: {
    processing: {
      title: 'Zahlung freigegeben',
      text: 'Sie haben diese Zahlung freigegeben. Sie wird jetzt verarbeitet.',
    },
    authorized: {
      title: 'Betrag reserviert',
      text: 'Der Betrag ist auf Ihrer Karte reserviert. Er wird abgebucht, sobald der Händler ihn anfordert.',
    },
    completed: { title: 'Zahlung abgeschlossen', text: 'Der Betrag wurde von Ihrer Karte abgebucht.' },
    declined: { title: 'Zahlung abgelehnt', text: 'Sie haben diese Zahlung abgelehnt. Es wurde nichts abgebucht.' },
    failed: {
      title: 'Zahlung fehlgeschlagen',
      text: 'Diese Zahlung konnte nicht ausgeführt werden. Es wurde nichts abgebucht.',
    },
    cancelled: {
      title: 'Zahlung storniert',
      text: 'Der Händler hat diese Zahlung storniert. Es wurde nichts abgebucht.',
    },
    expired: {
      title: 'Zahlung abgelaufen',
      text: 'Die Zeit für diese Zahlung ist abgelaufen. Es wurde nichts abgebucht.',
    },
  },
  looksAgain: 'Diese Seite aktualisiert sich von selbst.',
  takesLonger: 'Das dauert länger als gewöhnlich.',
  lookAgain: 'Erneut prüfen',
  backToMerchant: 'Zurück zum Händler',
  closePage: 'Sie können diese Seite schließen.',
  notFound: { title: 'Seite nicht gefunden', text: 'Unter dieser Adresse gibt es keine Zahlung zu bestätigen.' },
  tryAgain: {
    title: 'Bitte versuchen Sie es erneut',
    text: 'Die Bank kann gerade nicht antworten. Laden Sie diese Seite gleich noch einmal.',
  },
};
