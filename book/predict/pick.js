// Pick an answer to each question.
"use strict";

(() => {
  const { define, note } = coursePredict;
  const words = (label) => label.textContent.trim().replace(/[.,;]$/, "");

  function mark({ labels, right, chosen }) {
    labels.forEach((label, at) => {
      label.classList.toggle("is-measured", at === right);
      if (at === right) note(label, "measured", "note-measured");
      if (at === chosen) note(label, "your guess", "note-guess");
    });
  }

  const told = ({ chosen, right, said }) => chosen === right
    ? `You chose “${said[chosen]}”, as measured.`
    : `You chose “${said[chosen]}”; measured: “${said[right]}”.`;

  define("pick", (place, say) => (guessed) => {
    const questions = [...place.querySelectorAll("fieldset")].map((group) => {
      const labels = [...group.querySelectorAll("label")];
      const chosen = labels.findIndex((label) => label.querySelector("input").checked);
      return { labels, said: labels.map(words), right: Number(group.dataset.right), chosen: guessed ? chosen : -1 };
    });
    if (guessed && questions.some(({ chosen }) => chosen < 0)) {
      say(questions.length > 1 ? "Choose an answer to each question first." : "Choose an answer first.");
      return null;
    }
    questions.forEach(mark);
    if (!guessed) return `Measured: ${questions.map(({ said, right }) => `“${said[right]}”`).join(", ")}.`;
    if (questions.length === 1) return told(questions[0]);
    return `${questions.filter(({ chosen, right }) => chosen === right).length} of ${questions.length} as measured.`;
  });
})();
